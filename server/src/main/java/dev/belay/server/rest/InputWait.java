package dev.belay.server.rest;

import dev.belay.Deadline;
import dev.belay.Session;
import dev.belay.Time;
import dev.belay.Until;
import dev.belay.Waited;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Waits until a program in a session waits for input, or for what else a client named.
///
/// There is no event for a program that begins to read: its state is checked when it falls silent, and then at growing
/// intervals until it prints again. Blocks the caller's thread.
final class InputWait {
    private static final Duration FIRST_QUIET = Duration.ofMillis(40);
    private static final Duration LONGEST_QUIET = Duration.ofSeconds(1);
    /// How far back a match may begin.
    private static final long MATCH_BYTES = 64 << 10;

    private final Time time;
    private final Session session;
    private final Until until;
    private final @Nullable Duration idle;

    /// @param until what else ends the wait, without its quiet time
    /// @param idle  the quiet time that ends the wait, if one does
    InputWait(Time time, Session session, Until until, @Nullable Duration idle) {
        this.time = time;
        this.session = session;
        this.until = until;
        this.idle = idle;
    }

    /// What ended the wait.
    ///
    /// @param result `input`, or what [Waited] says
    record Outcome(String result, Waited waited) {}

    Outcome await(long from, Duration timeout) throws InterruptedException {
        Deadline deadline = Deadline.in(time, timeout);
        long searched = from;
        long end = session.output().end();
        long silentSince = time.nanos();
        Duration quiet = FIRST_QUIET;
        while (true) {
            Duration left = Duration.ofNanos(Math.max(0, deadline.remainingNanos()));
            Waited waited = session.cursor(searched).await(until.orIdle(quiet), left);
            if (waited.fired() != Waited.Fired.IDLE) {
                return new Outcome(SessionRoutes.name(waited), waited);
            }
            if (session.inputState().seenWaiting()) {
                return new Outcome("input", waited);
            }
            long now = session.output().end();
            if (now > end) {
                end = now;
                quiet = FIRST_QUIET;
                silentSince = time.nanos();
            } else if (idle != null && time.nanos() - silentSince >= idle.toNanos()) {
                return new Outcome("idle", waited);
            } else {
                quiet = quiet.compareTo(LONGEST_QUIET) < 0 ? quiet.multipliedBy(2) : LONGEST_QUIET;
            }
            searched = Math.max(searched, waited.offset() - MATCH_BYTES);
        }
    }
}
