package dev.belay.server.mcp;

import dev.belay.mcp.Conversation;
import dev.belay.server.wire.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// One request since revision 2026-07-28: it is complete in itself, its headers repeat part of it, and closing its
/// connection cancels it.
///
/// @param headers those of the request
record StatelessPost(JsonNode message, HttpFields headers, PostReply reply) {
    static final String VERSION = "MCP-Protocol-Version";
    /// How often a client is tried that waits for an answer.
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(1);
    private static final String ENCODED = "=?base64?";
    private static final String ENCODED_END = "?=";

    void answer(Conversation conversation, Callback callback) throws IOException, InterruptedException {
        Optional<String> mismatch = mismatch();
        if (mismatch.isPresent()) {
            reply.accept(Conversation.headerMismatch(message, mismatch.get()));
        } else if (!Conversation.isStateless(message)) {
            // The headers say that it is.
            reply.accept(Conversation.saysNothing(message));
        } else {
            for (Thread call : conversation.begin(message, reply)) {
                while (!call.join(KEEP_ALIVE)) {
                    if (!reply.keepAlive()) {
                        conversation.close();
                    }
                }
            }
        }
        reply.finish(message, callback);
    }

    /// What headers and message contradict each other in.
    private Optional<String> mismatch() {
        String spoken = Conversation.spoken(message);
        String method = message.path("method").asString("");
        if (!Conversation.isStateless(message) || spoken == null) {
            return Optional.empty();
        }
        String name = method.equals("tools/call") ? message.at("/params/name").asString("") : null;
        return differs(VERSION, spoken).or(() -> differs("Mcp-Method", method))
                .or(() -> name == null ? Optional.empty() : differs("Mcp-Name", name));
    }

    private Optional<String> differs(String header, String expected) {
        String value = headers.get(header);
        if (value == null) {
            return Optional.of("The header " + header + " is missing.");
        }
        return Objects.equals(decoded(value.strip()), expected)
                ? Optional.empty()
                : Optional.of("The header " + header + " contradicts the message.");
    }

    private static @Nullable String decoded(String value) {
        if (!value.startsWith(ENCODED) || !value.endsWith(ENCODED_END)
                || value.length() < ENCODED.length() + ENCODED_END.length()) {
            return value;
        }
        try {
            byte[] bytes = Base64.getDecoder()
                    .decode(value.substring(ENCODED.length(), value.length() - ENCODED_END.length()));
            return Json.text(bytes);
        } catch (IllegalArgumentException | java.nio.charset.CharacterCodingException _) {
            return null;
        }
    }
}
