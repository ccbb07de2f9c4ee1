package dev.belay.cli;

import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Syntax;
import dev.belay.server.wire.Json;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `belay reload`: tells a running server to read its settings again.
final class ReloadCommand implements Command {
    private static final String ABOUT = """
            Tells a running server to read its settings again, and prints what changed and
            what needs a restart. If the settings contain a mistake, nothing changes.""";

    private static final String EXAMPLES = """
            belay reload
            belay reload --server https://box.example:10000/ --token-file admin.token""";

    @Override
    public Syntax syntax() {
        return ServerOptions.ofRequest("reload", "Tell a running server to read its settings again.", ABOUT, EXAMPLES);
    }

    @Override
    public int run(Arguments given) {
        ObjectNode done = ServerOptions.client(given).post("/api/reload", Json.object());
        if (given.flag("--json")) {
            Output.json(done);
            return 0;
        }
        String changed = names(done.path("changed"));
        String later = names(done.path("restart_needed"));
        System.out.println(changed.isEmpty() ? "The settings have not changed." : "Changed: " + changed);
        if (!later.isEmpty()) {
            System.out.println("Needs a restart: " + later);
        }
        return 0;
    }

    private static String names(JsonNode list) {
        List<String> names = new ArrayList<>();
        list.forEach(name -> names.add(name.asString("")));
        return String.join(", ", names);
    }
}
