package dev.belay.agent;

import dev.belay.SessionException;
import dev.belay.Until;
import dev.belay.screens.UntilScreen;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What a call waits for: the first of these that happens. The exit of the command always ends a wait.
///
/// @param match     a regular expression (RE2) in what is printed from the call on, escape sequences removed
/// @param idleMs    nothing is printed for this many milliseconds
/// @param exit      the command exits
/// @param screen    a regular expression (RE2) in the rows that the screen shows
/// @param settledMs nothing visible changes for this many milliseconds
public record WaitFor(
        @Nullable String match,
        @Nullable Integer idleMs,
        boolean exit,
        @Nullable String screen,
        @Nullable Integer settledMs) {
    public WaitFor {
        if (match == null && idleMs == null && !exit && screen == null && settledMs == null) {
            throw SessionException.invalid(
                    "wait_for is empty; give it match, idle_ms, exit, screen or settled_ms.");
        }
        requirePositive("idle_ms", idleMs);
        requirePositive("settled_ms", settledMs);
    }

    private static void requirePositive(String name, @Nullable Integer millis) {
        if (millis != null && millis < 1) {
            throw SessionException.invalid("wait_for." + name + " must be at least 1.");
        }
    }

    public static WaitFor match(String regex) {
        return new WaitFor(regex, null, false, null, null);
    }

    public static WaitFor idle(Duration quiet) {
        return new WaitFor(null, millis(quiet), false, null, null);
    }

    public static WaitFor exited() {
        return new WaitFor(null, null, true, null, null);
    }

    /// The rows that the screen shows match. Wrapped rows count as one line; `(?m)` lets `^` and `$` match in each.
    public static WaitFor screen(String regex) {
        return new WaitFor(null, null, false, regex, null);
    }

    public static WaitFor settled(Duration quiet) {
        return new WaitFor(null, null, false, null, millis(quiet));
    }

    private static int millis(Duration duration) {
        return (int) Math.min(Integer.MAX_VALUE, duration.toMillis());
    }

    Until until() {
        Until until = Until.exited();
        if (match != null) {
            until = until.orMatch(match);
        }
        return idleMs == null ? until : until.orIdle(Duration.ofMillis(idleMs));
    }

    /// What it waits for on the screen; null for nothing.
    @Nullable UntilScreen untilScreen() {
        if (screen == null) {
            return settledMs == null ? null : UntilScreen.settled(Duration.ofMillis(settledMs));
        }
        UntilScreen until = UntilScreen.match(screen);
        return settledMs == null ? until : until.orSettled(Duration.ofMillis(settledMs));
    }
}
