package dev.belay;

import com.google.re2j.Pattern;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What to wait for: a match, a quiet time, the exit, an offset or a prompt. The first that happens ends the wait.
///
/// If several are true at once, a match counts first, then the offset, the exit, a cut, an approval, what a [Probe]
/// sees, the quiet time and the prompt.
/// Every wait ends, as [Waited.Fired#EXIT], when nothing more can come.
public final class Until {
    final @Nullable Pattern match;
    final @Nullable Duration idle;
    final boolean exit;
    final long offset;
    final @Nullable Duration input;
    final @Nullable Cut cut;
    final @Nullable Probe probe;
    final boolean approval;

    /// Looks at something that the log alone does not show, such as a screen.
    @FunctionalInterface
    public interface Probe {
        /// Looks, on the waiting thread, whenever something has happened and all output so far was searched.
        ///
        /// @return zero or less if it sees what it looks for; otherwise when to look again even if nothing happens
        Duration look();
    }

    private Until(@Nullable Pattern match, @Nullable Duration idle, boolean exit, long offset, @Nullable Duration input,
            @Nullable Cut cut, @Nullable Probe probe, boolean approval) {
        this.match = match;
        this.idle = idle;
        this.exit = exit;
        this.offset = offset;
        this.input = input;
        this.cut = cut;
        this.probe = probe;
        this.approval = approval;
    }

    /// The leader has exited and everything it wrote is in the log.
    public static Until exited() {
        return new Until(null, null, true, Long.MAX_VALUE, null, null, null, false);
    }

    /// The output matches a regular expression (RE2 syntax: linear time, so no back-references). Escape sequences are
    /// removed first. A match may span up to 64 KiB of text.
    public static Until match(String regex) {
        return new Until(Regex.compile(regex), null, false, Long.MAX_VALUE, null, null, null, false);
    }

    /// Nothing was printed for this long.
    public static Until idle(Duration quiet) {
        return new Until(null, positive(quiet), false, Long.MAX_VALUE, null, null, null, false);
    }

    /// The log has reached an offset.
    public static Until offset(long offset) {
        return new Until(null, null, false, offset, null, null, null, false);
    }

    public Until orExited() {
        return new Until(match, idle, true, offset, input, cut, probe, approval);
    }

    public Until orMatch(String regex) {
        if (match != null) {
            throw SessionException.invalid("A wait takes one regular expression; combine two as 'one|other'.");
        }
        return new Until(Regex.compile(regex), idle, exit, offset, input, cut, probe, approval);
    }

    public Until orIdle(Duration quiet) {
        return new Until(match, positive(quiet), exit, offset, input, cut, probe, approval);
    }

    public Until orOffset(long other) {
        return new Until(match, idle, exit, Math.min(offset, other), input, cut, probe, approval);
    }

    /// The program waits for input and has printed nothing for this long: nothing will happen until somebody types.
    /// There is no event for a program that begins to read, so its state is checked when it falls silent, and again at
    /// growing intervals of at most half a second more than that.
    public Until orInput(Duration quiet) {
        return new Until(match, idle, exit, offset, positive(quiet), cut, probe, approval);
    }

    /// Somebody cuts the wait short.
    public Until orCut(Cut by) {
        return new Until(match, idle, exit, offset, input, by, probe, approval);
    }

    /// A probe sees what it looks for.
    public Until orSeen(Probe by) {
        return new Until(match, idle, exit, offset, input, cut, by, approval);
    }

    /// A program of the session needs an approval that [Session#approvalNews()] has not reported yet.
    public Until orApproval() {
        return new Until(match, idle, exit, offset, input, cut, probe, true);
    }

    private static Duration positive(Duration quiet) {
        if (!quiet.isPositive()) {
            throw SessionException.invalid("A quiet time must be longer than zero.");
        }
        return quiet;
    }
}
