package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.agent.Keys;
import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Parameter;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.args.UsageException;
import dev.belay.server.wire.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// `belay send`: types into a session.
final class SendCommand implements Command {
    private static final int AT_ONCE = 512 << 10;

    private static final String ABOUT = """
            Types text, keys or the content of a file into a session. Nothing is added:
            use --newline, or --keys enter, to finish a line.""";

    private static final String EXAMPLES = """
            belay send py 'print(6*7)' --newline
            belay send py --keys ctrl-c
            belay send editor --keys esc,: && belay send editor wq --newline
            belay send db --file dump.sql""";

    @Override
    public Syntax syntax() {
        Syntax own = ServerOptions.ofSession("send", "Type into a session.", " [TEXT]", ABOUT)
                .with(new Parameter("TEXT", "What to type.", 0, 1, List.of()))
                .value("--keys", "KEYS", "Keys, separated by commas: enter, tab, esc, up, f1, ctrl-c, alt-x, ...")
                .value("--file", "FILE", "Type the content of a file; '-' is standard input.")
                .flag("--newline", "Press Enter after it.")
                .flag("--json", "Print how many bytes were taken, as JSON.");
        return ServerOptions.of(own, "", EXAMPLES);
    }

    @Override
    public int run(Arguments given) {
        byte[] bytes = bytes(given);
        RemoteSession session = ServerOptions.session(given);
        long taken = 0;
        for (int at = 0; at < bytes.length && taken == at; at += AT_ONCE) {
            byte[] part = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + AT_ONCE));
            taken += session.client().post(session.path("/input"), part).path("taken").asLong(0);
        }
        if (given.flag("--json")) {
            Output.json(Json.object().put("taken", taken));
        }
        if (taken < bytes.length) {
            throw new SessionException(
                    ErrorCode.TIMEOUT,
                    "Only " + taken + " of " + bytes.length + " bytes were taken: the program does not read.");
        }
        return 0;
    }

    private static byte[] bytes(Arguments given) {
        String text = given.word(1);
        String keys = given.text("--keys");
        Path file = given.path("--file");
        if ((text == null ? 0 : 1) + (keys == null ? 0 : 1) + (file == null ? 0 : 1) != 1) {
            if (!given.flag("--newline") || text != null || keys != null || file != null) {
                throw new UsageException("say what to send: TEXT, --keys or --file");
            }
            text = "";
        }
        byte[] typed = file != null
                ? content(file)
                : (keys != null ? sequence(keys) : String.valueOf(text)).getBytes(StandardCharsets.UTF_8);
        if (!given.flag("--newline")) {
            return typed;
        }
        byte[] line = Arrays.copyOf(typed, typed.length + 1);
        line[typed.length] = '\n';
        return line;
    }

    /// A comma after a comma is the key itself, as is any single character.
    private static String sequence(String keys) {
        StringBuilder typed = new StringBuilder();
        for (String key : keys.split(",", -1)) {
            typed.append(key.codePointCount(0, key.length()) == 1 ? key : named(key.strip()));
        }
        return typed.toString();
    }

    private static String named(String key) {
        try {
            return Keys.sequence(List.of(key), false);
        } catch (SessionException e) {
            throw new UsageException("--keys: " + e.getMessage(), e);
        }
    }

    private static byte[] content(Path file) {
        try {
            return file.toString().equals("-") ? System.in.readAllBytes() : Files.readAllBytes(file);
        } catch (IOException e) {
            throw new SessionException(ErrorCode.UNAVAILABLE, "Cannot read " + file + " (" + e + ").", Map.of(), e);
        }
    }
}
