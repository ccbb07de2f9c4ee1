package dev.belay.linux;

/// The logger of the Linux host, for faults in Belay. It never logs what users type, print or set. Java looks for it
/// when it is first needed: that opens every jar, and takes longer than many a command.
final class Log {
    static final System.Logger LOG = System.getLogger("dev.belay.linux");

    private Log() {}
}
