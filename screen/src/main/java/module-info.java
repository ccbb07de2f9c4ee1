/// A terminal emulator without a terminal: bytes in, rows out. It needs `java.base` only and knows nothing of sessions.
module dev.belay.screen {
    requires static transitive org.jspecify;

    exports dev.belay.screen;
}
