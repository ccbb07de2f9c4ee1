package dev.belay.agent;

/// Counts the pieces that tokenizers cut text into before they look words up, and takes long words, rare letters and
/// symbols for several tokens. Text in English comes out up to half as high again as it is; digits are exact.
enum EstimatedTokens implements Tokens {
    INSTANCE;

    private static final int CHARS_PER_TOKEN = 8;

    @Override
    public int mostChars(int tokens) {
        return (int) Math.min(Integer.MAX_VALUE / 2, (long) tokens * CHARS_PER_TOKEN);
    }

    @Override
    public long count(String text) {
        long halves = 0;
        int length = text.length();
        for (int at = 0; at < length;) {
            char c = text.charAt(at);
            int end = at + 1;
            if (isLetter(c)) {
                while (end < length && isLetter(text.charAt(end)) && !(isLower(text.charAt(end - 1))
                        && !isLower(text.charAt(end)))) {
                    end++;
                }
                boolean written = at == 0 || !Character.isLetterOrDigit(text.charAt(at - 1));
                boolean small = isLower(c) || (end - at > 1 && isLower(text.charAt(at + 1)));
                halves += word(end - at, written && small);
            } else if (c >= '0' && c <= '9') {
                while (end < length && end - at < 3 && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
                    end++;
                }
                halves += 2;
            } else if (c == ' ') {
                while (end < length && text.charAt(end) == ' ') {
                    end++;
                }
                // One space belongs to the word behind it.
                boolean joins = end < length && isLetter(text.charAt(end));
                int spaces = end - at - (joins ? 1 : 0);
                halves += spaces == 0 ? 0 : 2 + spaces / 8;
            } else {
                while (end < length && text.charAt(end) == c && end - at < 4 && c < 0x80) {
                    end++;
                }
                halves += symbol(c);
            }
            at = end;
        }
        return (halves + 1) / 2;
    }

    /// A word that somebody would write is a token or two; what is longer, in capitals or behind other letters and
    /// digits is rarely known as a whole.
    private static int word(int letters, boolean written) {
        if (!written) {
            return letters + 1;
        }
        return letters <= 4 ? 2 : letters <= 12 ? 2 + (letters - 4) / 2 : letters;
    }

    /// In half tokens.
    private static int symbol(char c) {
        if (c < 0x80) {
            return 2;
        }
        if (c < 0x2000 && Character.isLetter(c)) {
            return 2;
        }
        // Chinese, Japanese, Korean.
        return Character.isIdeographic(c) || (c >= 0x3040 && c <= 0x30FF) || (c >= 0xAC00 && c <= 0xD7A3) ? 4 : 6;
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static boolean isLower(char c) {
        return c >= 'a' && c <= 'z';
    }
}
