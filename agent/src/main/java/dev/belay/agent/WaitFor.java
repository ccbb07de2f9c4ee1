package dev.belay.agent;

import dev.belay.SessionException;
import dev.belay.Until;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What a call waits for: the first of these that happens. The exit of the command always ends a wait as well.
///
/// @param match  a regular expression (RE2) in what is printed from the call on, escape sequences removed
/// @param idleMs so many milliseconds in which nothing is printed
/// @param exit   the command exits
public record WaitFor(@Nullable String match, @Nullable Integer idleMs, boolean exit) {
    public WaitFor {
        if (match == null && idleMs == null && !exit) {
            throw SessionException.invalid("wait_for names nothing to wait for; give it match, idle_ms or exit.");
        }
        if (idleMs != null && idleMs < 1) {
            throw SessionException.invalid("wait_for.idle_ms has to be at least 1.");
        }
    }

    public static WaitFor match(String regex) {
        return new WaitFor(regex, null, false);
    }

    public static WaitFor idle(Duration quiet) {
        return new WaitFor(null, (int) Math.min(Integer.MAX_VALUE, quiet.toMillis()), false);
    }

    public static WaitFor exited() {
        return new WaitFor(null, null, true);
    }

    Until until() {
        Until until = Until.exited();
        if (match != null) {
            until = until.orMatch(match);
        }
        return idleMs == null ? until : until.orIdle(Duration.ofMillis(idleMs));
    }
}
