/// What every host must pass: the contract of sessions and a leak check.
module dev.belay.testkit {
    requires transitive dev.belay.core;
    requires transitive org.junit.jupiter.api;
    requires transitive org.assertj.core;
    requires static org.jspecify;

    exports dev.belay.testkit;
}
