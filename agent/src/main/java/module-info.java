/// The tools that agents drive sessions with. They know no protocol: records in, records out.
module dev.belay.agent {
    requires transitive dev.belay.core;
    requires re2j;
    requires jtokkit;
    requires static org.jspecify;

    exports dev.belay.agent;
}
