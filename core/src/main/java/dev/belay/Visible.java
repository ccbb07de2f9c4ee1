package dev.belay;

/// Makes text from outside safe to show: characters that nobody would see, or that move others, are written out as
/// `\u202e`. These are controls, line separators, bidirectional and zero-width characters, and blanks other than a
/// space. All texts that Belay shows to people pass through here; [Quoted] and [CommandLine] add quotes.
public final class Visible {
    private static final int LAST_OF_FOUR_DIGITS = 0xffff;

    private Visible() {}

    public static String of(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (hidden(c)) {
                out.append(escape(c));
            } else {
                out.appendCodePoint(c);
            }
        });
        return out.toString();
    }

    /// The same for JSON, which says the same then: above four digits, it writes two escapes.
    public static String json(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (hidden(c)) {
                Character.toString(c).chars().forEach(unit -> out.append(escape(unit)));
            } else {
                out.appendCodePoint(c);
            }
        });
        return out.toString();
    }

    static boolean hidden(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR, Character.PRIVATE_USE, Character.UNASSIGNED ->
                true;
            case Character.SPACE_SEPARATOR -> c != ' ';
            default -> empty(c);
        };
    }

    /// Letters and marks that Unicode wants nobody to see, and a pattern of no dots.
    private static boolean empty(int c) {
        return switch (c) {
            case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0 -> true;
            default -> (c >= 0x180b && c <= 0x180f) || (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0xe0100 && c <= 0xe01ef);
        };
    }

    static String escape(int c) {
        return String.format(c <= LAST_OF_FOUR_DIGITS ? "\\u%04x" : "\\U%08x", c);
    }
}
