package dev.belay;

/// The logger of the core: faults of Belay itself, never what users type, print or set.
final class Log {
    static final System.Logger LOG = System.getLogger("dev.belay");

    private Log() {}
}
