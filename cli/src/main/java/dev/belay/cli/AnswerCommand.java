package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.Visible;
import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.args.UsageException;
import dev.belay.server.wire.Json;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `belay approve` and `belay deny`: answers a question about a program.
///
/// @param allow which of the two
record AnswerCommand(boolean allow) implements Command {
    @Override
    public Syntax syntax() {
        String name = allow ? "approve" : "deny";
        Syntax own = Syntax.of(
                name, allow ? "Let a program start." : "Refuse a program.", "belay " + name + " [OPTION...] ID")
                .description((allow ? "Lets a program start" : "Refuses a program") + " that waits for an approval.")
                .parameter("ID", "Id of the question in 'belay approvals', or the beginning of it.")
                .value("--scope", "SCOPE",
                        "How long the answer applies: once (default), session, conversation or workspace.")
                .value("--words", "N", "Answer for all commands that begin with the same N words.")
                .flag("--json", ServerOptions.JSON);
        return ServerOptions.of(own, "", "belay " + name + " k3x9\nbelay " + name + " --scope=session k3x9");
    }

    @Override
    public int run(Arguments given) {
        ObjectNode body = Json.object().put("answer", allow ? "allow" : "deny");
        if (given.text("--scope") != null) {
            body.put("scope", given.text("--scope"));
        }
        String words = given.text("--words");
        if (words != null) {
            if (!words.matches("[1-9][0-9]{0,5}")) {
                throw new UsageException("--words must be a whole number of at least 1, not '" + words + "'");
            }
            body.put("words", Integer.parseInt(words));
        }
        RestClient client = ServerOptions.client(given);
        ObjectNode done = client.post("/api/approvals/" + find(client, given.words().getFirst()), body);
        if (given.flag("--json")) {
            Output.json(done);
        } else if (!done.path("scope").asString("once").equals("once")) {
            Output.line("Applies to the same program in the same folder, with the same "
                    + (words == null ? "words" : "first words") + " and variables that steer it, for this "
                    + Visible.of(done.path("scope").asString("")) + ".");
        }
        return 0;
    }

    private static String find(RestClient client, String name) {
        List<String> found = new ArrayList<>();
        for (JsonNode one : client.get("/api/approvals").path("approvals")) {
            String id = one.path("id").asString("");
            if (!name.isEmpty() && id.startsWith(name)) {
                found.add(id);
            }
        }
        if (found.size() > 1) {
            throw new UsageException("'" + name + "' matches " + String.join(", ", found) + "; type more of it");
        }
        if (found.isEmpty()) {
            throw new SessionException(
                    ErrorCode.NOT_FOUND,
                    "There is no open question '" + name + "'; 'belay approvals' lists them.");
        }
        return found.getFirst();
    }
}
