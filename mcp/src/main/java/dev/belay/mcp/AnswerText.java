package dev.belay.mcp;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The answers of the tools as a model reads them best: the output as it is, then one line in brackets with what is worth
/// knowing. Everything else is in the structured answer beside it; as JSON, every line break and quote of the output would
/// cost a model more than it tells.
final class AnswerText {
    private final ObjectNode answer;
    private final StringBuilder text = new StringBuilder();

    private AnswerText(ObjectNode answer) {
        this.answer = answer;
    }

    static String of(ObjectNode answer) {
        return new AnswerText(answer).write();
    }

    private String write() {
        text.append(answer.path("output").asString("").replace("\r\n", "\n"));
        if (!text.isEmpty() && text.charAt(text.length() - 1) != '\n') {
            text.append('\n');
        }
        for (JsonNode session : answer.path("sessions")) {
            line(session);
        }
        JsonNode error = answer.path("error");
        if (error.isObject()) {
            text.append('[').append(error.path("code").asString()).append(": ")
                    .append(error.path("message").asString());
        } else if (answer.has("sessions")) {
            text.append('[').append(answer.path("sessions").size()).append(" sessions");
        } else if (answer.has("killed")) {
            text.append("[closed; ");
            state(answer);
            text.append("; processes killed: ").append(answer.path("killed").intValue());
        } else {
            text.append('[');
            state(answer);
            session();
        }
        return text.append(']').toString();
    }

    /// One session of a list.
    private void line(JsonNode session) {
        JsonNode args = session.path("args");
        text.append(session.path("id").asString()).append(": ");
        state(session);
        text.append("; unread bytes: ").append(session.path("unread_bytes").longValue()).append("; ")
                .append(args.isEmpty() ? session.path("command").asString() : args.get(args.size() - 1).asString())
                .append('\n');
    }

    private void state(JsonNode of) {
        if (of.path("signal").isString()) {
            text.append("ended by ").append(of.path("signal").stringValue());
        } else if (of.path("exit_code").isNumber()) {
            text.append("exit code ").append(of.path("exit_code").intValue());
        } else {
            text.append("running");
            if (of.path("echo_off").booleanValue(false)) {
                text.append(", wants a password");
            } else if (of.path("waiting_for_input").booleanValue(false)) {
                text.append(", waits for input");
            }
        }
    }

    private void session() {
        text.append("; session ").append(answer.path("session_id").asString());
        if (answer.path("next").isNumber() && answer.path("truncated").booleanValue(false)) {
            text.append("; more from ").append(answer.path("next").longValue());
        }
        if (answer.path("hint").isString()) {
            text.append("; ").append(answer.path("hint").stringValue());
        }
    }
}
