package dev.belay.cli;

import dev.belay.cli.args.UsageException;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/// Finds Belay's own keys in what a person types while attached: a prefix, then a letter. The prefix typed twice is
/// sent once. Everything else passes unchanged.
///
/// For one thread.
final class DetachKeys {
    static final String STANDARD = "ctrl-\\,d";
    private static final String CONTROLS = "@abcdefghijklmnopqrstuvwxyz[\\]^_";

    private final byte prefix;
    private final byte detach;
    private final String text;
    private boolean prefixed;

    /// What a person asks Belay to do.
    enum Asked {
        DETACH,
        TAKE,
        GIVE_BACK,
        REPAINT
    }

    /// @param pass  the bytes for the session
    /// @param asked what to do then, or null
    @SuppressWarnings("ArrayRecordComponent")
    record Typed(byte[] pass, @org.jspecify.annotations.Nullable Asked asked, int used) {}

    private DetachKeys(byte prefix, byte detach, String text) {
        this.prefix = prefix;
        this.detach = detach;
        this.text = text;
    }

    /// Keys as people write them: `ctrl-\,d`.
    static DetachKeys of(String text) {
        String[] keys = text.split(",", -1);
        int control = keys.length == 2 && keys[0].startsWith("ctrl-") && keys[0].length() == 6
                ? CONTROLS.indexOf(Character.toLowerCase(keys[0].charAt(5)))
                : -1;
        if (control < 0 || !keys[1].matches("[!-~]") || "tgr".contains(keys[1])) {
            throw new UsageException("'" + text + "' are not detach keys; write them like " + STANDARD
                    + ": ctrl- and a character, then one that is not t, g or r");
        }
        return new DetachKeys((byte) control, (byte) keys[1].charAt(0), keys[0] + " then " + keys[1]);
    }

    /// How to press them: `ctrl-\ then d`.
    String text() {
        return text;
    }

    String prefix() {
        return text.substring(0, text.indexOf(' '));
    }

    /// Reads what was typed, up to the first thing that is asked of Belay.
    Typed read(byte[] typed) {
        ByteArrayOutputStream pass = new ByteArrayOutputStream();
        for (int i = 0; i < typed.length; i++) {
            byte key = typed[i];
            if (!prefixed) {
                prefixed = key == prefix;
                if (!prefixed) {
                    pass.write(key);
                }
                continue;
            }
            prefixed = false;
            Asked asked = asked(key);
            if (asked != null) {
                return new Typed(pass.toByteArray(), asked, i + 1);
            }
            pass.write(prefix);
            if (key != prefix) {
                pass.write(key);
            }
        }
        return new Typed(pass.toByteArray(), null, typed.length);
    }

    private @org.jspecify.annotations.Nullable Asked asked(byte key) {
        if (key == detach) {
            return Asked.DETACH;
        }
        return switch (key) {
            case 't' -> Asked.TAKE;
            case 'g' -> Asked.GIVE_BACK;
            case 'r' -> Asked.REPAINT;
            default -> null;
        };
    }

    /// What is left of the typed bytes.
    static byte[] rest(byte[] typed, Typed read) {
        return Arrays.copyOfRange(typed, read.used(), typed.length);
    }
}
