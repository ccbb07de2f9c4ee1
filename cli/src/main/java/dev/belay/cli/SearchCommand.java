package dev.belay.cli;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.belay.ErrorCode;
import dev.belay.PlainText;
import dev.belay.SessionException;
import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Parameter;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.args.UsageException;
import dev.belay.server.wire.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/// `belay search`: finds lines in the output of all sessions.
final class SearchCommand implements Command {
    private static final int MAX_LINE = 64 << 10;
    private static final int NOT_FOUND = 3;

    private static final String ABOUT = """
            Prints the lines of output that match a regular expression (RE2 syntax), in all
            sessions that you may see or in those you name. Each line comes with its session
            and the offset where it begins, for 'belay read ID --from OFFSET'.""";

    private static final String EXAMPLES = """
            belay search 'error|failed'
            belay search --json 'listening on (\\S+)' web""";

    @Override
    public Syntax syntax() {
        Syntax own = Syntax.of("search", "Search the output of sessions.", "belay search [OPTION...] REGEX [ID...]")
                .description(ABOUT)
                .parameter("REGEX", "What to search for.")
                .with(new Parameter("ID", "Sessions (default: all).", 0, Integer.MAX_VALUE, List.of()))
                .flag("--json", "Print one JSON object per line found.");
        return ServerOptions.of(own, "", EXAMPLES);
    }

    @Override
    public int run(Arguments given) {
        Pattern pattern;
        try {
            pattern = Pattern.compile(given.words().getFirst());
        } catch (PatternSyntaxException e) {
            throw new UsageException("the regular expression is not valid: " + e.getDescription(), e);
        }
        RestClient client = ServerOptions.client(given);
        List<RemoteSession> sessions = new ArrayList<>();
        for (String name : given.words().subList(1, given.words().size())) {
            sessions.add(RemoteSession.find(client, name));
        }
        if (given.words().size() == 1) {
            for (JsonNode record : client.get("/api/sessions").path("sessions")) {
                sessions.add(
                        new RemoteSession(client, record.path("id").asString(""), record.path("owner").asString("")));
            }
        }
        boolean found = false;
        for (RemoteSession session : sessions) {
            try {
                found |= new Lines(session, pattern, given.flag("--json")).print();
            } catch (SessionException e) {
                if (e.code() != ErrorCode.NOT_FOUND) {
                    throw e;
                }
                // It was closed meanwhile.
            }
        }
        return found ? 0 : NOT_FOUND;
    }

    /// The matching lines of one session.
    private static final class Lines {
        private final RemoteSession session;
        private final Pattern pattern;
        private final boolean json;
        private final boolean coloured = Stdio.coloured();
        private final PlainText text = new PlainText();
        private final StringBuilder line = new StringBuilder();
        private long lineFrom;
        private boolean found;

        Lines(RemoteSession session, Pattern pattern, boolean json) {
            this.session = session;
            this.pattern = pattern;
            this.json = json;
        }

        boolean print() {
            JsonNode record = session.record();
            long end = record.path("output_end").asLong(0);
            lineFrom = record.path("output_start").asLong(0);
            RemoteOutput output = new RemoteOutput(session, lineFrom);
            while (true) {
                RemoteOutput.Part part = output.next(Duration.ZERO);
                if (part.gap() != null) {
                    endLine(part.from());
                }
                text.feed(part.bytes(), (c, to) -> accept(c, part.from() + to));
                if (part.end() || part.nothing() || part.from() + part.bytes().length >= end) {
                    endLine(end);
                    return found;
                }
            }
        }

        private void accept(int c, long next) {
            if (c == '\n') {
                endLine(next);
            } else if (c != '\r' && line.length() < MAX_LINE) {
                line.appendCodePoint(c);
            }
        }

        private void endLine(long next) {
            Matcher matcher = pattern.matcher(line);
            if (matcher.find()) {
                found = true;
                show(matcher);
            }
            line.setLength(0);
            lineFrom = next;
        }

        private void show(Matcher match) {
            if (json) {
                Output.json(Json.object().put("id", session.id()).put("offset", lineFrom).put("text", line.toString()));
                return;
            }
            String shown = coloured
                    ? line.substring(0, match.start()) + "\033[1;31m" + match.group() + "\033[m"
                            + line.substring(match.end())
                    : line.toString();
            Output.line(session.id() + ":" + lineFrom + ": " + shown);
        }
    }
}
