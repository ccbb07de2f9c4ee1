package dev.belay.screen;

/// Text that a program names something with, made safe to show.
final class Titles {
    private Titles() {}

    /// Without control and bidirectional characters, cut at a number of characters.
    static String clean(String said, int most) {
        StringBuilder clean = new StringBuilder();
        said.codePoints().filter(code -> !Character.isISOControl(code) && !turns(code)).limit(most)
                .forEach(clean::appendCodePoint);
        return clean.toString();
    }

    private static boolean turns(int code) {
        return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e)
                || (code >= 0x2066 && code <= 0x2069);
    }
}
