package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Parameter;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.args.UsageException;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `belay close`: ends sessions with all their processes.
final class CloseCommand implements Command {
    private static final String ABOUT = """
            Ends all processes of a session and removes it. They get SIGHUP and SIGTERM, and
            after two seconds SIGKILL. Prints what was ended.""";

    private static final String EXAMPLES = """
            belay close build
            belay close --all --force""";

    @Override
    public Syntax syntax() {
        Syntax own = Syntax.of("close", "End sessions with all their processes.", "belay close [OPTION...] ID...")
                .description(ABOUT)
                .with(new Parameter("ID", ServerOptions.ID, 0, Integer.MAX_VALUE, List.of()))
                .flag("--all", "Close all your sessions; as admin, everybody's.")
                .flag("--force", "Kill at once, without a grace period.")
                .flag("--json", "Print one JSON object per session.");
        return ServerOptions.of(own, "", EXAMPLES);
    }

    @Override
    public int run(Arguments given) {
        if (given.flag("--all") != given.words().isEmpty()) {
            throw new UsageException("name sessions, or use --all");
        }
        RestClient client = ServerOptions.client(given);
        List<RemoteSession> sessions = given.flag("--all")
                ? all(client)
                : given.words().stream().map(name -> RemoteSession.find(client, name)).toList();
        for (RemoteSession session : sessions) {
            close(session, given);
        }
        if (sessions.isEmpty() && !given.flag("--json")) {
            Output.line("There are no sessions.");
        }
        return 0;
    }

    private static List<RemoteSession> all(RestClient client) {
        List<RemoteSession> all = new ArrayList<>();
        for (JsonNode record : client.get("/api/sessions").path("sessions")) {
            all.add(new RemoteSession(client, record.path("id").asString(""), record.path("owner").asString("")));
        }
        return all;
    }

    private static void close(RemoteSession session, Arguments given) {
        ObjectNode closed;
        try {
            closed = session.client().delete(session.path("", "force", given.flag("--force") ? "true" : null));
        } catch (SessionException e) {
            if (e.code() == ErrorCode.NOT_FOUND && given.flag("--all")) {
                return; // somebody was faster
            }
            throw e;
        }
        if (given.flag("--json")) {
            Output.json(closed);
            return;
        }
        Output.line(told(session.id(), closed));
    }

    /// What was ended, in words.
    static String told(String id, ObjectNode closed) {
        int ended = closed.path("ended").asInt(0);
        int killed = closed.path("killed").asInt(0);
        String processes = ended == 0
                ? "it had exited"
                : "ended " + (ended == 1 ? "1 process" : ended + " processes")
                        + (killed == 0 ? "" : ", " + killed + " by SIGKILL");
        return "Closed " + id + ": " + processes + " (exit code " + closed.path("exit_code").asInt(0) + ").";
    }
}
