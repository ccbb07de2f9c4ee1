package dev.belay.cli.view;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Turns what a terminal sends into keys. A sequence may arrive in parts.
///
/// The key Escape is also the beginning of sequences: it is known as a key when nothing follows for a moment. Then call
/// [#settle]. For one thread.
public final class KeyReader {
    private static final int ESCAPE = 27;
    private static final int LONGEST = 64;
    private byte[] kept = new byte[0];

    /// The keys that these bytes complete.
    public List<Key> read(byte[] bytes) {
        byte[] all = Arrays.copyOf(kept, kept.length + bytes.length);
        System.arraycopy(bytes, 0, all, kept.length, bytes.length);
        List<Key> keys = new ArrayList<>();
        int at = 0;
        while (at < all.length) {
            int length = length(all, at);
            if (length == 0) {
                break;
            }
            Key key = key(Arrays.copyOfRange(all, at, at + length));
            if (key != null) {
                keys.add(key);
            }
            at += length;
        }
        kept = Arrays.copyOfRange(all, at, all.length);
        if (kept.length > LONGEST) {
            kept = new byte[0];
        }
        return keys;
    }

    /// Whether something is incomplete: call [#settle] if nothing more comes.
    public boolean unsettled() {
        return kept.length > 0;
    }

    /// Nothing followed: an Escape was a key, and the rest of a sequence will not come.
    public List<Key> settle() {
        boolean escape = kept.length == 1 && kept[0] == ESCAPE;
        kept = new byte[0];
        return escape ? List.of(Key.ESCAPE) : List.of();
    }

    /// How many bytes the key at a place has; 0 if some are missing.
    private static int length(byte[] all, int at) {
        int first = all[at] & 0xff;
        int left = all.length - at;
        if (first != ESCAPE) {
            int whole = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
            return left < whole ? 0 : whole;
        }
        if (left == 1) {
            return 0;
        }
        int second = all[at + 1] & 0xff;
        if (second == ESCAPE) {
            return 1;
        }
        if (second == 'O') {
            return left < 3 ? 0 : 3;
        }
        if (second != '[') {
            return 2;
        }
        for (int i = at + 2; i < all.length; i++) {
            if (all[i] >= '@' && all[i] <= '~') {
                return i - at + 1;
            }
        }
        return 0;
    }

    private static @org.jspecify.annotations.Nullable Key key(byte[] bytes) {
        int first = bytes[0];
        if (first == ESCAPE) {
            return bytes.length == 1
                    ? Key.ESCAPE
                    : sequence(new String(bytes, 1, bytes.length - 1,
                            StandardCharsets.ISO_8859_1));
        }
        if (bytes.length > 1) {
            int code = new String(bytes, StandardCharsets.UTF_8).codePointAt(0);
            return Key.of(code);
        }
        return switch (first) {
            case '\r', '\n' -> Key.named("enter");
            case '\t' -> Key.named("tab");
            case 8, 127 -> Key.named("backspace");
            default -> first < 0 ? null : first < ' ' ? Key.named("ctrl-" + (char) (first + '`')) : Key.of(first);
        };
    }

    /// Null for a key that nobody asks for.
    private static @org.jspecify.annotations.Nullable Key sequence(String rest) {
        return switch (rest) {
            case "[A", "OA" -> Key.named("up");
            case "[B", "OB" -> Key.named("down");
            case "[C", "OC" -> Key.named("right");
            case "[D", "OD" -> Key.named("left");
            case "[H", "OH", "[1~", "[7~" -> Key.named("home");
            case "[F", "OF", "[4~", "[8~" -> Key.named("end");
            case "[5~" -> Key.named("page-up");
            case "[6~" -> Key.named("page-down");
            case "[Z" -> Key.named("back-tab");
            case "OM" -> Key.named("enter");
            default -> null;
        };
    }
}
