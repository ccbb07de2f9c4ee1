package dev.belay.cli;

import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.view.SessionTable;
import dev.belay.server.wire.Json;
import java.time.Duration;
import java.time.Instant;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `belay ls`: lists sessions.
final class LsCommand implements Command {
    /// How long a table on a terminal stays as it is: it shows ages.
    private static final Duration REDRAW = Duration.ofSeconds(5);
    private static final String HOME_AND_CLEAR = "\033[H\033[J";

    private static final String ABOUT = """
            Lists the sessions that you may see. Ids that Belay generated are shortened;
            every command takes the beginning of an id.""";

    private static final String EXAMPLES = """
            belay ls
            belay ls --watch
            belay ls --json | jq -r '.sessions[].id'""";

    @Override
    public Syntax syntax() {
        Syntax own = Syntax.of("ls", "List sessions.", "belay ls [OPTION...]")
                .description(ABOUT)
                .flag("--json", "Print one JSON object; with --watch, one per line whenever something changed.")
                .flag("--watch", "Keep showing the list until Ctrl-C.");
        return ServerOptions.of(own, "", EXAMPLES);
    }

    @Override
    public int run(Arguments given) {
        RestClient client = ServerOptions.client(given);
        if (!given.flag("--watch")) {
            ObjectNode list = client.get("/api/sessions");
            if (given.flag("--json")) {
                Output.json(list);
            } else {
                Output.text(table(list.path("sessions")));
            }
            return 0;
        }
        watch(client, given.flag("--json"), Stdio.isTerminal());
        return 0;
    }

    /// Shows the list whenever it has changed, until this process is ended.
    private static void watch(RestClient client, boolean json, boolean terminal) {
        LiveList list = new LiveList();
        while (true) {
            boolean changed = list.update(client.get(list.path(terminal && !json ? REDRAW : RestClient.LONGEST_WAIT)));
            if (terminal && !json) {
                // Ages change even if nothing else does.
                Output.text(HOME_AND_CLEAR + table(list.sessions()));
            } else if (changed && json) {
                ArrayNode sessions = Json.array().addAll(list.sessions());
                Output.json(Json.object().set("sessions", sessions));
            } else if (changed) {
                Output.text(table(list.sessions()));
            }
        }
    }

    private static String table(Iterable<JsonNode> sessions) {
        int width = Stdio.isTerminal() ? Stdio.look().size().cols() : 0;
        return new SessionTable(width, Stdio.coloured()).of(sessions, Instant.now());
    }
}
