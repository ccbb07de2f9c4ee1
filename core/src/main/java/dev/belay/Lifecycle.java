package dev.belay;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Where one session is in its life: a step that only moves forward, and what was learned on the way.
///
/// Every change is made under the monitor. Reads take no lock: what belongs to a step is written before the step, so a
/// thread that reads the step first sees it. Nothing here allocates, so a session can end when memory has run out.
final class Lifecycle {
    /// The steps, in order. A session may skip some of them.
    private enum Step {
        STARTING,
        RUNNING,
        /// The leader is dead, but other processes hold the terminal or a pipe and may still print.
        EXITED,
        /// Nothing more will be printed.
        SEALED,
        /// One thread is deleting the log. The session is still listed.
        LEAVING,
        CLOSED
    }

    private volatile Step step = Step.STARTING;
    private volatile @Nullable EndReason reason;
    private volatile @Nullable Instant endedAt;
    private volatile @Nullable ExitStatus exit;
    /// Whether somebody is closing the session. This alone can be taken back, because a close can fail.
    private volatile boolean closing;

    // --- moving forward ---

    /// The session runs, unless it has already exited.
    void running() {
        moveTo(Step.RUNNING);
    }

    /// Records why the session ends. Only the first reason counts.
    synchronized void because(EndReason why) {
        if (reason == null) {
            reason = why;
        }
    }

    void endedAt(Instant when) {
        endedAt = when;
    }

    /// @param held whether other processes may still print
    synchronized void exited(ExitStatus status, boolean held) {
        exit = status;
        moveTo(held ? Step.EXITED : Step.SEALED);
    }

    void sealed() {
        moveTo(Step.SEALED);
    }

    /// The session is about to be forgotten.
    ///
    /// @return false if another thread has taken this step
    boolean leaving() {
        return moveTo(Step.LEAVING);
    }

    void closed() {
        moveTo(Step.CLOSED);
    }

    void closing(boolean now) {
        closing = now;
    }

    /// @return false if the session has reached that step already
    private synchronized boolean moveTo(Step next) {
        boolean forward = step.compareTo(next) < 0;
        if (forward) {
            step = next;
        }
        return forward;
    }

    // --- where it is ---

    SessionState state() {
        return switch (step) {
            case STARTING -> SessionState.STARTING;
            case RUNNING -> SessionState.RUNNING;
            case EXITED, SEALED -> SessionState.EXITED;
            // A session that could not be started leaves without an exit.
            case LEAVING -> exit == null ? SessionState.STARTING : SessionState.EXITED;
            case CLOSED -> SessionState.CLOSED;
        };
    }

    /// Whether the leader has exited and nothing more will be printed.
    boolean isSealed() {
        return step.compareTo(Step.SEALED) >= 0 && exit != null;
    }

    boolean isClosing() {
        return closing;
    }

    @Nullable EndReason reason() {
        return reason;
    }

    @Nullable ExitStatus exit() {
        return exit;
    }

    @Nullable Instant endedAt() {
        return endedAt;
    }
}
