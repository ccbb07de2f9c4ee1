package dev.belay.cli;

import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Parameter;
import dev.belay.cli.args.Syntax;
import dev.belay.server.wire.Json;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/// `belay signal`: sends a signal to the program in a session.
final class SignalCommand implements Command {
    private static final List<String> USUAL = List.of("INT", "TERM", "HUP", "QUIT", "KILL", "STOP", "CONT", "USR1");

    @Override
    public Syntax syntax() {
        Syntax own = ServerOptions.ofSession(
                "signal", "Send a signal to the program in a session.", " SIGNAL",
                "Sends a signal to the processes in the foreground of a session.")
                .with(new Parameter("SIGNAL", "INT, TERM, HUP, KILL, SIGUSR1, ...", 1, 1, USUAL))
                .flag("--json", ServerOptions.JSON);
        return ServerOptions.of(own, "", "belay signal build INT");
    }

    @Override
    public int run(Arguments given) {
        RemoteSession session = ServerOptions.session(given);
        ObjectNode sent = session.client()
                .post(session.path("/signal"), Json.object().put("signal", given.words().getLast()));
        if (given.flag("--json")) {
            Output.json(sent);
        }
        return 0;
    }
}
