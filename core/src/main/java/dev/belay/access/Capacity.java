package dev.belay.access;

/// How many sessions the machine has room for right now, and what limits it.
///
/// @param sessions       the most sessions at once, including those that run
/// @param reason         the tightest limit, for people: `open files: 1024`
/// @param terminalsInUse pseudo-terminals in use on the whole machine; -1 if unknown
/// @param terminalsMax   the machine's limit on pseudo-terminals; -1 if unknown
public record Capacity(int sessions, String reason, long terminalsInUse, long terminalsMax) {
    /// For machines whose limits cannot be read.
    public static final Capacity UNKNOWN = new Capacity(1000, "the limits of this machine are unknown", -1, -1);

    /// The same machine with another limit on sessions.
    public Capacity sessions(int value, String why) {
        return new Capacity(value, why, terminalsInUse, terminalsMax);
    }
}
