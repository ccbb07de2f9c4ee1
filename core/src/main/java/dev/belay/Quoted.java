package dev.belay;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// Makes text from outside safe for a message: puts it in quotes that it cannot leave, makes hidden characters
/// [Visible], and folds a long text in the middle.
///
/// What Belay says about the text itself stands in `⟦⟧`, which the text cannot contain: `⟦␠×190⟧` are 190 spaces, and
/// `⟦… 5000 characters, sha256 0123456789ab …⟧` is the middle of a text of 5000 characters.
public final class Quoted {
    private static final int MAX_CHARS = 200;
    private static final int HASH_DIGITS = 12;
    private static final String OURS = "⟦⟧␠";

    private Quoted() {}

    public static String of(String text) {
        return "'" + inside(text) + "'";
    }

    /// The same without the quotes, for those who set their own.
    public static String inside(String text) {
        return inside(text, MAX_CHARS, "\\'");
    }

    /// @param most    how many characters are shown before the middle is folded
    /// @param escaped the characters that get a backslash
    static String inside(String text, int most, String escaped) {
        int all = text.codePointCount(0, text.length());
        return all <= most
                ? written(text, escaped)
                : written(head(text, most), escaped) + fold(text, all) + written(tail(text, most), escaped);
    }

    /// The text itself, folded like [#inside] but with nothing written out: for programs.
    static String folded(String text, int most) {
        int all = text.codePointCount(0, text.length());
        return all <= most ? text : head(text, most) + fold(text, all) + tail(text, most);
    }

    private static String head(String text, int most) {
        return text.substring(0, text.offsetByCodePoints(0, most * 2 / 3));
    }

    private static String tail(String text, int most) {
        return text.substring(text.offsetByCodePoints(text.length(), -most / 3));
    }

    private static String fold(String text, int all) {
        return "⟦… " + all + " characters, sha256 " + hash(text) + " …⟧";
    }

    /// The beginning of the SHA-256 of a text.
    static String hash(String text) {
        return digest(text).substring(0, HASH_DIGITS);
    }

    /// The SHA-256 of a text, in hexadecimal digits.
    static String digest(String text) {
        try {
            return HexFormat.of().formatHex(
                    MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String written(String text, String escaped) {
        StringBuilder out = new StringBuilder(text.length());
        int[] chars = text.codePoints().toArray();
        int at = 0;
        while (at < chars.length) {
            int c = chars[at];
            int end = at + 1;
            while (end < chars.length && chars[end] == c && (c == ' ' || Visible.hidden(c))) {
                end++;
            }
            if (end - at > 1) {
                out.append('⟦').append(c == ' ' ? "␠" : Visible.escape(c)).append('×').append(end - at).append('⟧');
            } else if (escaped.indexOf(c) >= 0) {
                out.append('\\').appendCodePoint(c);
            } else if (Visible.hidden(c) || OURS.indexOf(c) >= 0) {
                out.append(Visible.escape(c));
            } else {
                out.appendCodePoint(c);
            }
            at = end;
        }
        return out.toString();
    }
}
