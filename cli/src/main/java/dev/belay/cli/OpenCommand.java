package dev.belay.cli;

import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Parameter;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.args.UsageException;
import dev.belay.server.wire.Json;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `belay open`: opens a session on a server and prints its id.
final class OpenCommand implements Command {
    private static final String ABOUT = """
            Opens a session and prints its id. The command runs in a terminal on the server,
            below the server's workspace, whether or not anybody is attached. Without a
            command, it is your login shell.""";

    private static final String EXAMPLES = """
            belay open --name build -- make test
            belay open --start --attach
            belay attach "$(belay open -- htop)\"""";

    @Override
    public Syntax syntax() {
        Syntax own = Syntax.of("open", "Open a session.", "belay open [OPTION...] [--] [COMMAND [ARG...]]")
                .withRest()
                .description(ABOUT)
                .with(new Parameter("COMMAND", "", 0, Integer.MAX_VALUE, List.of()))
                .value("--name", "NAME", "Its id: letters, digits, '_', '-' (default: a generated one).")
                .value("--workdir", "DIR", "Folder in the workspace (default: the workspace).")
                .values("--env", "NAME=VALUE", "Set a variable. May be repeated.")
                .values("--label", "NAME=VALUE", "Label it. May be repeated.")
                .flag("--keep", "Keep it when the clients of its owner disconnect.")
                .flag("--pipe", "Use pipes, not a terminal.")
                .value("--timeout", "TIME", "End it after this time: 90 (seconds), 30s, 5m, 1h30m.")
                .value("--idle-timeout", "TIME", "End it after this time without input or output.")
                .flag("--attach", "Attach to it at once.")
                .flag("--start", "Start a server in the background if you have none here.")
                .flag("--json", "Print its record as JSON.");
        return ServerOptions.of(own, "", EXAMPLES);
    }

    @Override
    public int run(Arguments given) throws Exception {
        ObjectNode spec = spec(given);
        RestClient client = given.flag("--start") ? BackgroundServer.client(given) : ServerOptions.client(given);
        if (given.flag("--attach")) {
            return AttachCommand.open(client, spec);
        }
        ObjectNode record = client.post("/api/sessions", spec);
        if (given.flag("--json")) {
            Output.json(record);
        } else {
            Output.line(record.path("id").asString(""));
        }
        return 0;
    }

    private static ObjectNode spec(Arguments given) {
        ObjectNode spec = Json.object();
        if (!given.words().isEmpty()) {
            ArrayNode command = spec.putArray("command");
            given.words().forEach(command::add);
        }
        put(spec, "id", given.text("--name"));
        put(spec, "workdir", given.text("--workdir"));
        put(spec, "mode", given.flag("--pipe") ? "pipe" : null);
        pairs(spec, "env", "--env", given);
        pairs(spec, "labels", "--label", given);
        if (given.flag("--keep")) {
            spec.put("keep", true);
        }
        put(spec, "timeout_ms", given.time("--timeout"));
        put(spec, "idle_timeout_ms", given.time("--idle-timeout"));
        return spec;
    }

    private static void put(ObjectNode spec, String field, @Nullable String value) {
        if (value != null) {
            spec.put(field, value);
        }
    }

    private static void put(ObjectNode spec, String field, @Nullable Duration value) {
        if (value != null) {
            spec.put(field, value.toMillis());
        }
    }

    private static void pairs(ObjectNode spec, String field, String option, Arguments given) {
        for (String pair : given.texts(option)) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw new UsageException(option + " needs a name and a value, as in " + option + " NAME=VALUE");
            }
            spec.withObject("/" + field).put(pair.substring(0, equals), pair.substring(equals + 1));
        }
    }
}
