package dev.belay;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What to wait for: any of a match, a quiet time, the exit, an offset. The first that happens ends the wait.
///
/// Where two hold at once, a match goes first, then the offset, the exit and the quiet time. A wait that asks for a
/// match, an offset or a quiet time also ends, as [Waited.Fired#EXIT], when nothing more can ever come.
public final class Until {
    /// The longest regular expression there may be.
    public static final int MAX_PATTERN_CHARS = 1000;

    private static final int MAX_PROGRAM = 2000;
    /// A bound on what is compiled to see whether it is small enough.
    private static final int MAX_COMPILED = 100_000;

    final @Nullable Pattern match;
    final @Nullable Duration idle;
    final boolean exit;
    final long offset;

    private Until(@Nullable Pattern match, @Nullable Duration idle, boolean exit, long offset) {
        this.match = match;
        this.idle = idle;
        this.exit = exit;
        this.offset = offset;
    }

    /// The leader is dead and all it wrote is in the log.
    public static Until exited() {
        return new Until(null, null, true, Long.MAX_VALUE);
    }

    /// A regular expression (RE2 syntax: linear time, so no back-references) is found in the output. Escape sequences
    /// are removed first; a match may span up to 64 KiB of text.
    public static Until match(String regex) {
        return new Until(compiled(regex), null, false, Long.MAX_VALUE);
    }

    /// Nothing was printed for this long.
    public static Until idle(Duration quiet) {
        return new Until(null, positive(quiet), false, Long.MAX_VALUE);
    }

    /// The log has reached an offset.
    public static Until offset(long offset) {
        return new Until(null, null, false, offset);
    }

    public Until orExited() {
        return new Until(match, idle, true, offset);
    }

    public Until orMatch(String regex) {
        if (match != null) {
            throw SessionException.invalid("A wait has one expression; write two as 'one|other'.");
        }
        return new Until(compiled(regex), idle, exit, offset);
    }

    public Until orIdle(Duration quiet) {
        return new Until(match, positive(quiet), exit, offset);
    }

    public Until orOffset(long other) {
        return new Until(match, idle, exit, Math.min(offset, other));
    }

    private static Duration positive(Duration quiet) {
        if (!quiet.isPositive()) {
            throw SessionException.invalid("A quiet time has to be longer than zero.");
        }
        return quiet;
    }

    private static Pattern compiled(String regex) {
        if (regex.length() > MAX_PATTERN_CHARS) {
            throw SessionException.invalid("A regular expression has at most " + MAX_PATTERN_CHARS
                    + " characters; this one has " + regex.length() + ".");
        }
        try {
            long expansion = expansion(regex);
            if (expansion <= MAX_PROGRAM && expansion * regex.length() <= MAX_COMPILED) {
                Pattern pattern = Pattern.compile(regex);
                if (pattern.programSize() <= MAX_PROGRAM) {
                    return pattern;
                }
            }
        } catch (PatternSyntaxException e) {
            throw SessionException.invalid("The regular expression " + Quoted.of(regex) + " is not valid: "
                    + e.getDescription() + ". It follows RE2's syntax, which has no back-references or look-around.");
        }
        throw SessionException.invalid(
                "The regular expression " + Quoted.of(regex) + " repeats too much; use smaller counts in {n,m}.");
    }

    /// A bound on how large counted repetition makes an expression: compiling `((a{999}){999}){999}` would take all
    /// memory before its size could be seen. Only counts of groups can nest; they are multiplied, nested or not, which
    /// is more than is needed. Of the others the largest counts.
    private static long expansion(String regex) {
        long groups = 1;
        long single = 1;
        var counts = java.util.regex.Pattern.compile("(\\)?)\\{(\\d{1,4})(?:,(\\d{0,4}))?\\}").matcher(regex);
        while (counts.find() && groups <= MAX_PROGRAM) {
            String most = counts.group(3) == null || counts.group(3).isEmpty() ? counts.group(2) : counts.group(3);
            long count = Math.max(1, Integer.parseInt(most));
            if (counts.group(1).isEmpty()) {
                single = Math.max(single, count);
            } else {
                groups *= count;
            }
        }
        return groups * single;
    }
}
