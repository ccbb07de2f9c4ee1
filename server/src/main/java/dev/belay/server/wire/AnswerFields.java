package dev.belay.server.wire;

import dev.belay.Approval.Answer;
import dev.belay.Approval.Scope;

/// An answer to a question about a program, as every front door takes it.
public final class AnswerFields {
    private AnswerFields() {}

    /// Which question is answered.
    public static String id(RequestFields body) {
        return body.text("approval").orElseThrow(() -> Requests.invalid("Name the approval to answer: approval."));
    }

    /// Reads `answer`, `scope` and `words`.
    public static Answer read(RequestFields body) {
        boolean allow = switch (body.text("answer").orElse("")) {
            case "allow" -> true;
            case "deny" -> false;
            default -> throw Requests.invalid("answer must be allow or deny.");
        };
        Scope scope = Scope.of(body.text("scope").orElse("once"));
        return new Answer(allow, scope, body.count("words").orElse(null));
    }
}
