package dev.belay.cli;

import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.args.UsageException;
import dev.belay.server.wire.Json;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/// `belay resize`: gives a session's terminal another size.
final class ResizeCommand implements Command {
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,4})x([0-9]{1,4})");

    @Override
    public Syntax syntax() {
        Syntax own = ServerOptions.ofSession(
                "resize", "Resize the terminal of a session.", " COLSxROWS",
                "Gives the terminal of a session another size, from 1x1 to 1000x1000.")
                .parameter("COLSxROWS", "The size: 120x40.")
                .flag("--json", ServerOptions.JSON);
        return ServerOptions.of(own, "", "belay resize editor 120x40");
    }

    @Override
    public int run(Arguments given) {
        Matcher size = SIZE.matcher(given.words().getLast());
        if (!size.matches()) {
            throw new UsageException("'" + given.words().getLast() + "' is not a size; write it like 120x40");
        }
        RemoteSession session = ServerOptions.session(given);
        ObjectNode now = session.client().post(session.path("/resize"), Json.object()
                .put("cols", Integer.parseInt(size.group(1)))
                .put("rows", Integer.parseInt(size.group(2))));
        if (given.flag("--json")) {
            Output.json(now);
        }
        return 0;
    }
}
