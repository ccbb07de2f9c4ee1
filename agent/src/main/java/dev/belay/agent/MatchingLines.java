package dev.belay.agent;

import com.google.re2j.Pattern;

/// Collects the lines of an output that match a regular expression, each with the offset where it begins, as `grep -b`
/// does.
final class MatchingLines implements Units.Sink {
    /// A line that is longer is searched in parts of this length.
    private static final int MAX_LINE_CHARS = 64 << 10;
    /// Of a longer line, so much is shown.
    private static final int MAX_SHOWN_CHARS = 500;
    private static final String NONE = "[no line matches]\n";
    /// Characters that mean something other than themselves in a regular expression.
    private static final String META = "\\.[]{}()*+?^$|";

    private final Pattern pattern;
    /// Plain text is found without the engine, which is much slower.
    private final boolean plain;
    private final Tokens tokens;
    private final int maxTokens;
    private final StringBuilder line = new StringBuilder();
    private final StringBuilder found = new StringBuilder();
    private long lineAt;
    private long used;
    /// Where the first matching line begins that the budget has no room for; -1 if there is none.
    private long rest = -1;

    MatchingLines(Pattern pattern, Tokens tokens, int maxTokens) {
        this.pattern = pattern;
        this.plain = pattern.pattern().chars().noneMatch(c -> META.indexOf(c) >= 0);
        this.tokens = tokens;
        this.maxTokens = maxTokens;
    }

    @Override
    public void unit(CharSequence text, long offset) {
        if (line.isEmpty()) {
            lineAt = offset;
        }
        line.append(text);
        if (line.charAt(line.length() - 1) == '\n' || line.length() >= MAX_LINE_CHARS) {
            endLine();
        }
    }

    /// Nothing follows, or what follows begins a new line.
    void endLine() {
        String text = line.toString().stripTrailing();
        line.setLength(0);
        if (rest >= 0 || !matches(text)) {
            return;
        }
        String entry = lineAt + ": " + shortened(text) + "\n";
        long cost = tokens.count(entry);
        // The first one is always shown, so that reading on from the rest gets on.
        if (used > 0 && used + cost > maxTokens) {
            rest = lineAt;
        } else {
            used += cost;
            found.append(entry);
        }
    }

    private boolean matches(String text) {
        return plain ? text.contains(pattern.pattern()) : pattern.matcher(text).find();
    }

    private static String shortened(String text) {
        return text.codePointCount(0, text.length()) <= MAX_SHOWN_CHARS
                ? text
                : text.substring(0, text.offsetByCodePoints(0, MAX_SHOWN_CHARS)) + "...";
    }

    boolean isFull() {
        return rest >= 0;
    }

    /// Where to continue; `end` if all lines were searched.
    long next(long end) {
        return rest >= 0 ? rest : end;
    }

    String text() {
        return found.isEmpty() ? NONE : found.toString();
    }
}
