package dev.belay.mcp;

import dev.belay.Approval;
import dev.belay.Approval.Answer;
import dev.belay.Approval.Scope;
import dev.belay.Quoted;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// A question about a program as clients show it to their users: `elicitation/create` with one choice.
///
/// @param approval the id of the question
/// @param session  the session that asks
record ApprovalQuestion(String approval, String session) {
    static final String CAPABILITY = "elicitation";
    static final String METHOD = "elicitation/create";
    private static final String KEY = "approval.";
    private static final String ONCE = "allow once";
    private static final String LONGER = "allow for this ";
    private static final String DENY = "deny";

    private static final String LASTS = " An answer for longer than once holds for the same program, words, folder and"
            + " variables that steer it.";

    static ApprovalQuestion of(Approval approval) {
        return new ApprovalQuestion(approval.id(), approval.session());
    }

    /// Names the question within its call.
    String key() {
        return KEY + approval + "." + session;
    }

    /// The question of a key; null if it is not one of these.
    static @Nullable ApprovalQuestion parse(String key) {
        int end = key.indexOf('.', KEY.length());
        return key.startsWith(KEY) && end > 0
                ? new ApprovalQuestion(key.substring(KEY.length(), end), key.substring(end + 1))
                : null;
    }

    static ObjectNode params(Approval approval) {
        ObjectNode params = JsonNodeFactory.instance.objectNode().put("message", message(approval));
        ObjectNode schema = params.putObject("requestedSchema").put("type", "object");
        ObjectNode choice = schema.putObject("properties").putObject("answer")
                .put("type", "string")
                .put("title", "Answer");
        ArrayNode choices = choice.putArray("enum");
        approval.scopes().forEach(scope -> choices.add(text(scope)));
        choices.add(DENY);
        schema.putArray("required").add("answer");
        return params;
    }

    private static String text(Scope scope) {
        return scope == Scope.ONCE ? ONCE : LONGER + scope.label();
    }

    private static String message(Approval approval) {
        return "The agent wants to run '" + approval.command().text() + "' (" + Quoted.of(approval.program()) + ")"
                + (approval.workdir().isEmpty() ? "" : " in " + Quoted.of(approval.workdir()))
                + (approval.variables().isEmpty()
                        ? ""
                        : ", with " + String.join(", ", approval.variables()) + " changed")
                + (approval.rule() == null ? "." : ". Rule " + Quoted.of(approval.rule()) + " asks for your approval.")
                + (approval.scopes().size() > 1 ? LASTS : "");
    }

    /// The answer that a client brings; null if its user gave none.
    static @Nullable Answer answer(@Nullable JsonNode result) {
        String action = result == null ? "" : result.path("action").asString("");
        return switch (action) {
            case "decline" -> Answer.DENY;
            case "accept" -> {
                String chosen = result == null ? "" : result.path("content").path("answer").asString("");
                yield Arrays.stream(Scope.values())
                        .filter(scope -> text(scope).equals(chosen))
                        .findFirst()
                        .map(scope -> new Answer(true, scope, null))
                        .orElse(Answer.DENY);
            }
            default -> null;
        };
    }
}
