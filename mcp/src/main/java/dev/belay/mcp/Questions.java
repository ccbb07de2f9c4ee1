package dev.belay.mcp;

import java.io.Serial;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Asks the client, or the person behind it, on behalf of a call of a tool.
///
/// Up to 2025-11-25 this sends a request of its own and waits for the answer. Since 2026-07-28 the call ends with its
/// question, as a result of the type `input_required`, and the client calls again with the answer.
interface Questions {
    /// Asks, or finds the answer.
    ///
    /// @param capability what a client has to offer to be asked: `roots`, `elicitation`
    /// @param key        names the question within its call, the same in every try
    /// @param method     as in `elicitation/create`
    /// @return the answer; null if this client cannot be asked
    @Nullable JsonNode ask(String capability, String key, String method, ObjectNode params)
            throws InterruptedException;

    /// The questions of one try of a call since 2026-07-28: what is answered came with it.
    ///
    /// @param capabilities what the client can do
    /// @param params       the parameters of the call
    record OfOneTry(JsonNode capabilities, JsonNode params) implements Questions {
        @Override
        public @Nullable JsonNode ask(String capability, String key, String method, ObjectNode question) {
            if (!capabilities.has(capability)) {
                return null;
            }
            JsonNode answers = params.path("inputResponses");
            JsonNode answer = answers.get(key);
            if (answer == null || answer.isNull()) {
                throw new Open(key, method, question);
            }
            if (!answer.isObject()) {
                throw ProtocolException.invalidParams("inputResponses." + key + " must be an object.");
            }
            return answer;
        }
    }

    /// A question without an answer ends the try.
    final class Open extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1;

        private final String key;
        private final String method;
        private final transient ObjectNode params;

        private Open(String key, String method, ObjectNode params) {
            super(null, null, false, false);
            this.key = key;
            this.method = method;
            this.params = params;
        }

        /// What the call answers instead.
        ObjectNode result() {
            ObjectNode node = JsonNodeFactory.instance.objectNode().put("resultType", "input_required");
            node.putObject("inputRequests").putObject(key).put("method", method).set("params", params);
            return node;
        }
    }
}
