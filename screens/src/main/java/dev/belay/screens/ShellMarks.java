package dev.belay.screens;

import dev.belay.Time;
import dev.belay.screen.Told;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The commands of one session, from its shell's marks: OSC 133 (`A` prompt, `C` output begins, `D;exit` it ends),
/// OSC 7 (folder) and 633 (the same, `E` text, `P;Cwd=` folder).
///
/// Once a session has a key, only marks that end in `;k=KEY` count: what a program prints, an inner shell or a file
/// that was shown, makes no record. Belongs to the thread whose turn it is.
final class ShellMarks {
    private static final int MOST = 1000;
    private static final Pattern ESCAPED = Pattern.compile("\\\\x([0-9a-fA-F]{2})|\\\\\\\\");

    private final Deque<ShellCommand> commands = new ArrayDeque<>();
    private final Time time;
    private @Nullable String key;
    private @Nullable String text;
    private @Nullable String announced;
    private long announcedAt;
    private @Nullable String cwd;
    private boolean atPrompt;
    private long after;

    ShellMarks(Time time) {
        this.time = time;
    }

    /// From here on, only marks with this key count.
    void key(String value) {
        key = value;
        commands.clear();
        text = null;
        cwd = null;
        atPrompt = false;
        after = 0;
    }

    /// The command that begins next, after an offset, has this text.
    void announce(String command, long offset) {
        announced = command;
        announcedAt = offset;
    }

    ShellState state() {
        return new ShellState(key != null, atPrompt, after, cwd, commands.peekLast());
    }

    /// Those that are known, the oldest first.
    List<ShellCommand> commands() {
        return List.copyOf(commands);
    }

    void told(Told.Mark mark) {
        String said = mark.text();
        String trusted = key;
        if (trusted != null) {
            int at = said.lastIndexOf(";k=");
            if (at < 0 || !same(said.substring(at + 3), trusted)) {
                return;
            }
            said = said.substring(0, at);
        }
        after = mark.to();
        if (mark.osc() == 7) {
            cwd = folder(said);
            return;
        }
        String[] parts = said.split(";", 3);
        switch (parts[0]) {
            case "A" -> prompt(mark);
            case "C" -> begin(mark);
            case "D" -> end(parts.length > 1 ? number(parts[1]) : null, mark.from());
            case "E" -> text = parts.length > 1 ? plain(parts[1]) : null;
            case "P" -> {
                if (parts.length > 1 && parts[1].startsWith("Cwd=")) {
                    cwd = plain(parts[1].substring(4));
                }
            }
            default -> {
            }
        }
    }

    private static boolean same(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    private void prompt(Told.Mark mark) {
        // Without a D of its own: what it ended with is not known.
        end(null, mark.from());
        atPrompt = true;
    }

    private void begin(Told.Mark mark) {
        end(null, mark.from());
        String known = announced != null && mark.from() >= announcedAt ? announced : text;
        commands.addLast(
                new ShellCommand(known, cwd, null, time.now(), null, mark.to(), null, key != null));
        if (commands.size() > MOST) {
            commands.removeFirst();
        }
        announced = null;
        text = null;
        atPrompt = false;
    }

    private void end(@Nullable Integer code, long at) {
        ShellCommand last = commands.peekLast();
        if (last != null && last.running()) {
            commands.removeLast();
            commands.addLast(last.ended(code, time.now(), at));
        }
    }

    private static @Nullable Integer number(String text) {
        return text.matches("-?\\d{1,9}") ? Integer.valueOf(text) : null;
    }

    /// `\xAB` is a character by its code, and a double backslash one backslash.
    private static String plain(String escaped) {
        return ESCAPED.matcher(escaped).replaceAll(found -> java.util.regex.Matcher.quoteReplacement(
                found.group(1) == null ? "\\" : Character.toString(Integer.parseInt(found.group(1), 16))));
    }

    private static @Nullable String folder(String uri) {
        try {
            return new URI(uri).getPath();
        } catch (URISyntaxException _) {
            return null;
        }
    }
}
