package dev.belay.mcp;

import dev.belay.Approval;
import dev.belay.Approval.Answer;
import dev.belay.Approval.Scope;
import dev.belay.Quoted;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
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
    private static final String SESSION = "allow for this session";
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
        choice.putArray("enum").add(ONCE).add(SESSION).add(DENY);
        schema.putArray("required").add("answer");
        return params;
    }

    private static String message(Approval approval) {
        return "The agent wants to run '" + approval.command().text() + "' (" + Quoted.of(approval.program()) + ")"
                + (approval.workdir().isEmpty() ? "" : " in " + Quoted.of(approval.workdir()))
                + (approval.variables().isEmpty()
                        ? ""
                        : ", with " + String.join(", ", approval.variables()) + " changed")
                + (approval.rule() == null ? "." : ". Rule " + Quoted.of(approval.rule()) + " asks for your approval.")
                + LASTS;
    }

    /// The answer that a client brings; null if its user gave none.
    static @Nullable Answer answer(@Nullable JsonNode result) {
        String action = result == null ? "" : result.path("action").asString("");
        return switch (action) {
            case "decline" -> Answer.DENY;
            case "accept" -> switch (result == null ? "" : result.path("content").path("answer").asString("")) {
                case ONCE -> Answer.ALLOW;
                case SESSION -> new Answer(true, Scope.SESSION, null);
                default -> Answer.DENY;
            };
            default -> null;
        };
    }
}
