package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Syntax;
import dev.belay.server.wire.Json;
import java.time.Duration;
import tools.jackson.databind.node.ObjectNode;

/// `belay stop`: ends a running server.
final class StopCommand implements Command {
    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final String ABOUT = """
            Ends a running server and all its sessions, as Ctrl-C does. Returns when the
            server no longer answers. Needs the token of an admin.""";

    @Override
    public Syntax syntax() {
        return ServerOptions.ofRequest("stop", "Stop a running server.", ABOUT, "belay stop");
    }

    @Override
    public int run(Arguments given) throws InterruptedException {
        RestClient client = ServerOptions.client(given);
        ObjectNode told = client.post("/api/stop", Json.object());
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (client.server().answers()) {
            if (System.nanoTime() - deadline > 0) {
                throw new SessionException(
                        ErrorCode.TIMEOUT, "The server at " + client.server().uri() + " is still closing sessions.");
            }
            Thread.sleep(PAUSE);
        }
        if (given.flag("--json")) {
            Output.json(told);
        } else {
            int sessions = told.path("sessions").asInt(0);
            Output.line("Stopped " + client.server().uri() + (sessions == 0
                    ? "."
                    : " and ended " + (sessions == 1 ? "1 session." : sessions + " sessions.")));
        }
        return 0;
    }
}
