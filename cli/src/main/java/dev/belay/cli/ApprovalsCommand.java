package dev.belay.cli;

import dev.belay.Quoted;
import dev.belay.Visible;
import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Syntax;
import java.util.HashSet;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `belay approvals`: lists the programs that wait for an approval.
final class ApprovalsCommand implements Command {
    private static final String PATH = "/api/approvals";
    private static final String ABOUT = """
            Lists the programs of watched sessions that wait because a rule asks about them.
            Answer with 'belay approve ID' or 'belay deny ID'.""";
    private static final String EXAMPLES = """
            belay approvals
            belay approvals --follow""";

    @Override
    public Syntax syntax() {
        Syntax own = Syntax.of("approvals", "List programs that wait for an approval.", "belay approvals [OPTION...]")
                .description(ABOUT)
                .flag("--follow", "Keep printing new questions until Ctrl-C.")
                .flag("--json", "Print one JSON object per question.");
        return ServerOptions.of(own, "", EXAMPLES);
    }

    @Override
    public int run(Arguments given) {
        RestClient client = ServerOptions.client(given);
        Set<String> shown = new HashSet<>();
        boolean follow = given.flag("--follow");
        ObjectNode list = client.get(PATH);
        print(list, shown, given.flag("--json"));
        if (!follow && list.path("approvals").isEmpty() && !given.flag("--json")) {
            Output.line("Nothing waits for an approval.");
        }
        while (follow) {
            list = client.get(PATH + "?after=" + list.path("revision").asLong() + "&wait_ms="
                    + RestClient.LONGEST_WAIT.toMillis());
            print(list, shown, given.flag("--json"));
        }
        return 0;
    }

    private static void print(ObjectNode list, Set<String> shown, boolean json) {
        for (JsonNode one : list.path("approvals")) {
            if (shown.add(one.path("id").asString(""))) {
                if (json) {
                    Output.json(one);
                } else {
                    Output.text(text(one));
                }
            }
        }
    }

    /// A question in a few lines. The server has quoted what sessions say: it may try to look like something else.
    static String text(JsonNode one) {
        JsonNode shown = one.path("shown");
        String rule = one.path("rule").asString("");
        StringBuilder from = new StringBuilder();
        one.path("ancestors").forEach(line -> from.append("    from ").append(quoted(line)).append('\n'));
        StringBuilder changed = new StringBuilder();
        one.path("variables").forEach(name -> changed.append(changed.isEmpty() ? "    changed: " : ", ")
                .append(Visible.of(name.asString(""))));
        return Visible.of(one.path("id").asString("")) + "  " + quoted(shown.path("command"))
                + (one.path("count").asInt(1) > 1 ? " (" + one.path("count").asInt() + " times)" : "") + "\n"
                + "    " + quoted(shown.path("program")) + " in " + quoted(shown.path("workdir"))
                + ", session " + Visible.of(one.path("session").asString("")) + " of "
                + Visible.of(one.path("owner").asString(""))
                + (rule.isEmpty() ? "" : ", rule " + Quoted.of(rule)) + "\n"
                + (changed.isEmpty() ? "" : changed.append('\n')) + from;
    }

    private static String quoted(JsonNode safe) {
        return "'" + Visible.of(safe.asString("")) + "'";
    }
}
