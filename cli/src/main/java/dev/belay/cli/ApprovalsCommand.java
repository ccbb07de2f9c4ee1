package dev.belay.cli;

import dev.belay.Quoted;
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

    /// A question in two or three lines. What sessions say is quoted: it may try to look like something else.
    static String text(JsonNode one) {
        StringBuilder words = new StringBuilder();
        one.path("words").forEach(word -> words.append(words.isEmpty() ? "" : " ").append(word.asString("")));
        String rule = one.path("rule").asString("");
        String above = one.path("ancestors").path(0).asString("");
        return one.path("id").asString("") + "  " + Quoted.of(words.toString())
                + (one.path("count").asInt(1) > 1 ? " (" + one.path("count").asInt() + " times)" : "") + "\n"
                + "    " + Quoted.of(one.path("program").asString("")) + " in "
                + Quoted.of(one.path("workdir").asString(""))
                + ", session " + one.path("session").asString("") + " of " + one.path("owner").asString("")
                + (rule.isEmpty() ? "" : ", rule " + Quoted.of(rule)) + "\n"
                + (above.isEmpty() ? "" : "    from " + Quoted.of(above) + "\n");
    }
}
