package dev.belay;

/// The logger of the core, for faults in Belay. It never logs what users type, print or set.
final class Log {
    static final System.Logger LOG = System.getLogger("dev.belay");

    private Log() {}
}
