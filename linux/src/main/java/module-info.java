/// The Linux host: pseudo-terminals and pipes by system calls through the foreign function interface, no C.
module dev.belay.linux {
    requires transitive dev.belay.core;
    requires jdk.net;
    requires static org.jspecify;

    exports dev.belay.linux;
}
