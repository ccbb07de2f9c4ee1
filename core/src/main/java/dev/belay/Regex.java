package dev.belay;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

/// The regular expressions that waits and searches take: RE2's syntax, in linear time and bounded memory.
public final class Regex {
    /// The longest regular expression allowed, in characters.
    public static final int MAX_PATTERN_CHARS = 1000;

    private static final int MAX_PROGRAM = 2000;
    /// The largest expression that is compiled to check its size.
    private static final int MAX_COMPILED = 100_000;

    private Regex() {}

    /// Compiles an expression, or says what is wrong with it.
    public static Pattern compile(String regex) {
        if (regex.length() > MAX_PATTERN_CHARS) {
            throw SessionException.invalid("A regular expression may have at most " + MAX_PATTERN_CHARS
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

    /// An upper bound on how large counted repetition makes an expression: compiling `((a{999}){999}){999}` would use
    /// up all memory before its size could be checked. Only counts of groups can nest. All of them are multiplied,
    /// nested or not, so the bound may be too high. Of the other counts, the largest is used.
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
