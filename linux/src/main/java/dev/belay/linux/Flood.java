package dev.belay.linux;

/// Saves those who wait for output from being woken with every read of a flood: each wake-up costs as much as a read.
/// Little is announced at once; much after [#ANNOUNCE_BYTES], or when it pauses. Loop only.
final class Flood {
    /// A read of so much is a flood: more is likely to be there, or about to come.
    private static final int FLOOD_BYTES = 2 << 10;
    /// What a flood may add to the log before those who wait are woken.
    private static final int ANNOUNCE_BYTES = 64 << 10;

    private final Runnable announce;
    private final Runnable askForTurn;
    private int unannounced;
    /// Whether there was more since the last turn.
    private boolean grew;

    /// @param announce   wakes those who wait for output
    /// @param askForTurn asks for a call of [#turn] after the loop has read from others
    Flood(Runnable announce, Runnable askForTurn) {
        this.announce = announce;
        this.askForTurn = askForTurn;
    }

    /// Bytes were added to the log.
    ///
    /// @param last whether there will be no more before somebody has read
    void add(int bytes, boolean last) {
        boolean first = unannounced == 0;
        unannounced += bytes;
        if (last || bytes < FLOOD_BYTES || unannounced >= ANNOUNCE_BYTES) {
            end();
            return;
        }
        grew = true;
        if (first) {
            askForTurn.run();
        }
    }

    /// Announces a flood that pauses; waits one more turn for one that goes on.
    void turn() {
        if (unannounced > 0 && grew) {
            grew = false;
            askForTurn.run();
        } else {
            end();
        }
    }

    /// Announces what is not yet.
    void end() {
        if (unannounced > 0) {
            unannounced = 0;
            announce.run();
        }
    }
}
