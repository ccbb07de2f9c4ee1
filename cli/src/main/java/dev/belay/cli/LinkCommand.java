package dev.belay.cli;

import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.config.TimeSpan;
import dev.belay.server.wire.Json;
import java.time.Duration;
import tools.jackson.databind.node.ObjectNode;

/// `belay link`: prints a new link to the web page of a running server.
final class LinkCommand implements Command {
    private static final String ABOUT = """
            Prints a new link to the web console of a running server. The link works once.
            It signs the browser in as the principal whose token you use.""";

    private static final String EXAMPLES = """
            belay link
            xdg-open "$(belay link)\"""";

    @Override
    public Syntax syntax() {
        return ServerOptions.ofRequest(
                "link", "Print a new link to the web console.", ABOUT, EXAMPLES);
    }

    @Override
    public int run(Arguments given) {
        RestClient client = ServerOptions.client(given);
        ObjectNode ticket = client.post("/api/tickets", Json.object().put("for", "console"));
        String link = of(client.server().at("/").toString(), ticket.path("ticket").asString(""));
        if (given.flag("--json")) {
            Output.json(Json.object().put("link", link).set("expires_in_ms", ticket.path("expires_in_ms")));
            return 0;
        }
        System.out.println(link);
        System.err.println("The link " + life(Duration.ofMillis(ticket.path("expires_in_ms").asLong(0))) + ".");
        return 0;
    }

    /// The ticket follows a '#': browsers do not send that part, so it appears in no log.
    static String of(String address, String ticket) {
        return address + "#ticket=" + ticket;
    }

    static String life(Duration life) {
        boolean minutes = life.toSeconds() % 60 == 0 && life.toMinutes() > 1;
        return "works once, within " + (minutes ? life.toMinutes() + " minutes" : TimeSpan.text(life));
    }
}
