package dev.belay.screens;

import com.google.re2j.Pattern;
import dev.belay.Regex;
import dev.belay.SessionException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What to wait for on a screen: a match, rest, or the exit. The first that happens ends the wait.
///
/// If several are true at once, a match counts first, then the exit, then rest. Every wait ends, as
/// [ScreenWaited.Fired#EXIT], when nothing more can come.
public final class UntilScreen {
    final @Nullable Pattern match;
    final @Nullable Duration settled;
    final boolean exit;

    private UntilScreen(@Nullable Pattern match, @Nullable Duration settled, boolean exit) {
        this.match = match;
        this.settled = settled;
        this.exit = exit;
    }

    /// The rows that are shown match a regular expression (RE2 syntax). They are joined by line feeds, wrapped ones
    /// without; `(?m)` lets `^` and `$` match in each.
    public static UntilScreen match(String regex) {
        return new UntilScreen(Regex.compile(regex), null, false);
    }

    /// Nothing visible has changed for this long. An update that a program has marked as one counts when it is
    /// complete.
    public static UntilScreen settled(Duration quiet) {
        return new UntilScreen(null, positive(quiet), false);
    }

    /// The leader has exited.
    public static UntilScreen exited() {
        return new UntilScreen(null, null, true);
    }

    public UntilScreen orMatch(String regex) {
        if (match != null) {
            throw SessionException.invalid("A wait takes one regular expression; combine two as 'one|other'.");
        }
        return new UntilScreen(Regex.compile(regex), settled, exit);
    }

    public UntilScreen orSettled(Duration quiet) {
        return new UntilScreen(match, positive(quiet), exit);
    }

    public UntilScreen orExited() {
        return new UntilScreen(match, settled, true);
    }

    private static Duration positive(Duration quiet) {
        if (!quiet.isPositive()) {
            throw SessionException.invalid("A quiet time must be longer than zero.");
        }
        return quiet;
    }
}
