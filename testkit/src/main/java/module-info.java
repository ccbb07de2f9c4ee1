/// What every host has to pass: the contract of sessions, and a check that nothing leaks.
module dev.belay.testkit {
    requires transitive dev.belay.core;
    requires transitive org.junit.jupiter.api;
    requires transitive org.assertj.core;
    requires static org.jspecify;

    exports dev.belay.testkit;
}
