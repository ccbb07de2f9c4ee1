package dev.belay;

/// Makes text from outside safe for a message: quotes it, cuts it, and escapes control and bidirectional characters.
public final class Quoted {
    private static final int MAX_CHARS = 200;

    private Quoted() {}

    public static String of(String text) {
        StringBuilder out = new StringBuilder("'");
        text.codePoints().limit(MAX_CHARS).forEach(c -> {
            int type = Character.getType(c);
            if (type == Character.CONTROL || type == Character.FORMAT || type == Character.SURROGATE
                    || type == Character.LINE_SEPARATOR || type == Character.PARAGRAPH_SEPARATOR) {
                out.append(String.format("\\u%04x", c));
            } else {
                out.appendCodePoint(c);
            }
        });
        if (text.codePointCount(0, text.length()) > MAX_CHARS) {
            out.append("...");
        }
        return out.append('\'').toString();
    }
}
