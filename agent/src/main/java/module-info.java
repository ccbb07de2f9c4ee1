/// The tools that agents drive sessions with. They know no protocol: records in, records out.
module dev.belay.agent {
    requires transitive dev.belay.core;
    requires transitive dev.belay.screens;
    requires re2j;
    requires static org.jspecify;

    exports dev.belay.agent;
}
