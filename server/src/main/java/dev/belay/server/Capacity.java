package dev.belay.server;

/// How many sessions the machine has room for at a moment, and what the bound is.
///
/// @param sessions       how many there may be in all, those that run included
/// @param reason         what the narrowest bound is, for people: `open files: 1024`
/// @param terminalsInUse pseudo-terminals in use on the whole machine; -1: not known
/// @param terminalsMax   pseudo-terminals there may be; -1: not known
public record Capacity(int sessions, String reason, long terminalsInUse, long terminalsMax) {
    /// For machines that do not tell.
    public static final Capacity UNKNOWN = new Capacity(1000, "the machine does not tell its limits", -1, -1);

    /// The same machine with room for other many sessions.
    public Capacity sessions(int value, String why) {
        return new Capacity(value, why, terminalsInUse, terminalsMax);
    }
}
