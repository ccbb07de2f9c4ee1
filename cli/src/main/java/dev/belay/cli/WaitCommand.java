package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.config.TimeSpan;
import dev.belay.server.wire.Json;
import java.time.Duration;
import tools.jackson.databind.node.ObjectNode;

/// `belay wait`: waits until something happens in a session.
final class WaitCommand implements Command {
    private static final Duration FOREVER = Duration.ofDays(36_500);

    private static final String ABOUT = """
            Waits for the first of the events you name; if you name none, for the session
            to exit. With --exit, the exit status is that of the session's command. A match
            is printed.""";

    private static final String STATUS = """
              124    nothing happened within --timeout
            """;

    private static final String EXAMPLES = """
            belay wait server --match 'listening on port \\d+' --timeout 30s
            belay wait build --exit && echo built
            belay wait py --input""";

    @Override
    public Syntax syntax() {
        Syntax own = ServerOptions.ofSession("wait", "Wait for a session.", "", ABOUT)
                .value("--match", "REGEX", "The output matches (RE2 syntax), including earlier output.")
                .value("--idle", "TIME", "It has printed nothing for this long: 2s, 500ms.")
                .flag("--exit", "Its command has exited.")
                .flag("--input", "A program waits for input.")
                .value("--timeout", "TIME", "Give up after this time (default: never).")
                .value("--from", "OFFSET", "Search for a match from this offset on.")
                .flag("--json", "Print what happened, as JSON.");
        return ServerOptions.of(own, STATUS, EXAMPLES);
    }

    @Override
    public int run(Arguments given) {
        ObjectNode until = until(given);
        Duration timeout = given.time("--timeout");
        RemoteSession session = ServerOptions.session(given);
        long deadline = System.nanoTime() + (timeout != null ? timeout : FOREVER).toNanos();
        while (true) {
            long left = Math.max(0, deadline - System.nanoTime()) / 1_000_000;
            until.put("timeout_ms", Math.min(left, RestClient.LONGEST_WAIT.toMillis()));
            ObjectNode happened = session.client().post(session.path("/wait"), until);
            String what = happened.path("wait_result").asString("");
            if (!what.equals("timeout") || System.nanoTime() - deadline >= 0) {
                return tell(happened, what, given);
            }
        }
    }

    private static ObjectNode until(Arguments given) {
        ObjectNode until = Json.object();
        String match = given.text("--match");
        Duration idle = given.time("--idle");
        Long from = given.number("--from");
        if (match != null) {
            until.put("match", match);
        }
        if (idle != null) {
            until.put("idle_ms", idle.toMillis());
        }
        if (given.flag("--input")) {
            until.put("input", true);
        }
        if (from != null) {
            until.put("from", from);
        }
        return given.flag("--exit") ? until.put("exit", true) : until;
    }

    private static int tell(ObjectNode happened, String what, Arguments given) {
        boolean json = given.flag("--json");
        if (json) {
            Output.json(happened);
        } else if (what.equals("match")) {
            Output.line(happened.path("text").asString(""));
        }
        boolean forExit = given.flag("--exit")
                || !(given.flag("--match") || given.flag("--idle") || given.flag("--input"));
        return switch (what) {
            case "timeout" -> {
                Duration timeout = given.time("--timeout");
                System.err.println("belay: timed out after " + (timeout == null ? "" : TimeSpan.text(timeout)));
                yield ExitCodes.TIMED_OUT;
            }
            case "exit" -> {
                if (!forExit) {
                    throw new SessionException(
                            ErrorCode.UNAVAILABLE, "The session exited before that happened (exit code "
                                    + happened.path("exit_code").asInt(0) + ").");
                }
                yield happened.path("exit_code").asInt(0);
            }
            default -> 0;
        };
    }
}
