package dev.belay.screens;

import dev.belay.OutputTap;
import java.util.function.BooleanSupplier;

/// Wakes the belay-screen thread when a session prints something that it must see.
///
/// Most output is the echo of keys: plain characters, which ask nothing. As long as nothing else is printed and no
/// sequence is begun, the thread is not woken for each of them.
final class QuestionTap implements OutputTap {
    /// So much plain output may wait for the thread: it also makes checkpoints.
    private static final int MAX_UNSEEN = 16 << 10;

    private final QueryAnswers answers;
    private final BooleanSupplier watched;
    private final Runnable wake;

    // Loop only: the plain output at the end of the log.
    private long plainFrom;
    private long plainTo;

    /// @param watched whether somebody waits for a change of the screen
    /// @param wake    queues the session for the thread
    QuestionTap(QueryAnswers answers, BooleanSupplier watched, Runnable wake) {
        this.answers = answers;
        this.watched = watched;
        this.wake = wake;
    }

    @Override
    public boolean output(long from, byte[] bytes) {
        if (from != plainTo) {
            plainFrom = from;
        }
        plainTo = from + bytes.length;
        if (!plain(bytes)) {
            plainFrom = plainTo;
            return false;
        }
        // Up to where nothing was asked and nothing is begun.
        long settled = answers.settled();
        return settled >= plainFrom && plainTo - settled <= MAX_UNSEEN && !watched.getAsBoolean();
    }

    @Override
    public void rang() {
        wake.run();
    }

    private static boolean plain(byte[] bytes) {
        for (byte each : bytes) {
            boolean plain = (each >= ' ' && each <= '~') || (each >= '\b' && each <= '\r');
            if (!plain) {
                return false;
            }
        }
        return true;
    }
}
