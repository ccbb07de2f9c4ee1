package dev.belay.linux;

/// Decides when to wake those who wait for output. A wake-up costs about as much as a read, so it does not wake them
/// for every read of a flood: a small read is announced at once, a flood every [#ANNOUNCE_BYTES] and when it pauses.
/// Loop only.
final class WakeThrottle {
    /// A read of this size is part of a flood: more is probably there, or about to come.
    private static final int FLOOD_BYTES = 2 << 10;
    /// How much of a flood is appended to the log before it is announced.
    private static final int ANNOUNCE_BYTES = 64 << 10;

    private final Runnable announce;
    private final Runnable askForTurn;
    private int unannounced;
    /// Whether more came since the last turn.
    private boolean grew;

    /// @param announce   wakes those who wait for output
    /// @param askForTurn asks for a call of [#turn] after the loop has read from the other sources
    WakeThrottle(Runnable announce, Runnable askForTurn) {
        this.announce = announce;
        this.askForTurn = askForTurn;
    }

    /// Bytes were appended to the log.
    ///
    /// @param last whether no more will come until somebody has read
    void add(int bytes, boolean last) {
        boolean first = unannounced == 0;
        unannounced += bytes;
        if (last || bytes < FLOOD_BYTES || unannounced >= ANNOUNCE_BYTES) {
            flush();
            return;
        }
        grew = true;
        if (first) {
            askForTurn.run();
        }
    }

    /// Announces a flood that has paused; gives one that goes on another turn.
    void turn() {
        if (unannounced > 0 && grew) {
            grew = false;
            askForTurn.run();
        } else {
            flush();
        }
    }

    /// Announces what has not been announced yet.
    void flush() {
        if (unannounced > 0) {
            unannounced = 0;
            announce.run();
        }
    }
}
