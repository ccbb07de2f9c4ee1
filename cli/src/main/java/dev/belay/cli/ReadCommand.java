package dev.belay.cli;

import dev.belay.PlainText;
import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.args.UsageException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/// `belay read`: prints what a session has printed.
final class ReadCommand implements Command {
    private static final int FIRST_TAIL_BYTES = 16 << 10;

    private static final String ABOUT = """
            Prints the output of a session, from the oldest byte that is kept. If bytes are
            missing, a line on standard error says how many and why.""";

    private static final String EXAMPLES = """
            belay read build --tail 20
            belay read build --follow --strip-ansi | grep error
            belay read editor --screen""";

    @Override
    public Syntax syntax() {
        Syntax own = ServerOptions.ofSession("read", "Print the output of a session.", "", ABOUT)
                .value("--from", "OFFSET", "Begin at this offset.")
                .value("--tail", "N", "Print only the last N lines.")
                .flag("--follow", "Keep printing new output until the session ends.")
                .flag("--strip-ansi", "Remove escape sequences and control characters.")
                .flag("--screen", "Print the screen as a person sees it now.");
        return ServerOptions.of(own, "", EXAMPLES);
    }

    @Override
    public int run(Arguments given) {
        Long from = given.number("--from");
        Long tail = given.number("--tail");
        boolean screen = given.flag("--screen");
        if ((from != null && tail != null) || (screen && (from != null || tail != null || given.flag("--follow")))) {
            throw new UsageException(
                    "--from, --tail and --screen cannot be combined, and neither can --screen and --follow");
        }
        RemoteSession session = ServerOptions.session(given);
        if (screen) {
            ObjectNode shown = session.client().get(session.path("/screen", "format", "text"));
            Output.line(shown.path("text").asString("").stripTrailing());
            return 0;
        }
        ObjectNode record = session.record();
        long start = record.path("output_start").asLong(0);
        long end = record.path("output_end").asLong(0);
        long begin = tail != null ? lastLines(session, start, end, tail) : from != null ? from : start;
        print(new RemoteOutput(session, begin), given.flag("--follow"), end, given.flag("--strip-ansi"));
        return 0;
    }

    /// @param end where to stop, unless this follows
    private static void print(RemoteOutput output, boolean follow, long end, boolean plain) {
        @Nullable Plain filter = plain ? new Plain() : null;
        while (true) {
            RemoteOutput.Part part = output.next(follow ? RestClient.LONGEST_WAIT : Duration.ZERO);
            if (part.gap() != null) {
                System.err.println("belay: bytes are missing: " + part.gap());
            }
            Output.bytes(filter == null ? part.bytes() : filter.of(part.bytes()));
            if (part.end() || (!follow && (part.nothing() || part.from() + part.bytes().length >= end))) {
                return;
            }
        }
    }

    /// Where the last lines begin. A line feed at the very end begins no line.
    private static long lastLines(RemoteSession session, long start, long end, long lines) {
        long span = FIRST_TAIL_BYTES;
        while (true) {
            long from = Math.max(start, end - span);
            long begin = beginning(new RemoteOutput(session, from), end, lines);
            if (begin >= 0 || from == start) {
                return Math.max(begin, from);
            }
            span *= 8;
        }
    }

    /// @return where the last lines begin, or -1 if that is before this output
    private static long beginning(RemoteOutput output, long end, long lines) {
        long[] feeds = new long[(int) Math.min(lines + 1, 1 << 20)];
        long count = 0;
        RemoteOutput.Part part = output.next(Duration.ZERO);
        long seen = part.from();
        while (!part.nothing() && seen < end) {
            byte[] bytes = part.bytes();
            for (int i = 0; i < bytes.length && part.from() + i < end - 1; i++) {
                if (bytes[i] == '\n') {
                    feeds[(int) (count++ % feeds.length)] = part.from() + i + 1;
                }
            }
            seen = part.from() + bytes.length;
            if (part.end()) {
                break;
            }
            part = seen < end ? output.next(Duration.ZERO) : part;
        }
        if (lines == 0) {
            return end;
        }
        return count < lines ? -1 : feeds[(int) ((count - lines) % feeds.length)];
    }

    /// Removes escape sequences, and the carriage returns before line feeds.
    private static final class Plain {
        private final PlainText text = new PlainText();
        private boolean returned;

        byte[] of(byte[] bytes) {
            StringBuilder plain = new StringBuilder(bytes.length);
            text.feed(bytes, (c, _) -> {
                if (returned && c != '\n') {
                    plain.append('\r');
                }
                returned = c == '\r';
                if (!returned) {
                    plain.appendCodePoint(c);
                }
            });
            return plain.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
        }
    }
}
