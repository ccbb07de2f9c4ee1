package dev.belay.mcp;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The revision 2026-07-28 of the protocol: every request says in `_meta` which version it speaks and what its client
/// can do, so that nothing has to be remembered from one request to the next.
final class Stateless {
    static final String VERSION = "2026-07-28";
    static final Set<String> METHODS = Set.of("server/discover", "subscriptions/listen");

    private static final String KEYS = "io.modelcontextprotocol/";
    private static final String CAPABILITIES = KEYS + "clientCapabilities";
    private static final String SPOKEN = KEYS + "protocolVersion";
    /// How long a client may cache the list of tools. Settings rarely change.
    private static final int FRESH_MS = 300_000;

    private Stateless() {}

    /// Whether a message is of this revision, or means to be.
    static boolean claims(@Nullable String method, @Nullable JsonNode params) {
        JsonNode meta = params == null ? null : params.get("_meta");
        return (method != null && METHODS.contains(method))
                || (meta != null && Stream.of(SPOKEN, CAPABILITIES, KEYS + "clientInfo").anyMatch(meta::has));
    }

    /// The version that a request says it speaks.
    static @Nullable String spoken(JsonNode message) {
        return Messages.string(message.path("params").path("_meta").get(SPOKEN));
    }

    /// What the client of a request can do.
    static JsonNode requireCapabilities(@Nullable JsonNode params) {
        JsonNode meta = params == null ? JsonNodeFactory.instance.missingNode() : params.path("_meta");
        String version = Messages.string(meta.get(SPOKEN));
        if (version == null) {
            throw versionMissing();
        }
        if (!version.equals(VERSION)) {
            throw unsupported(version);
        }
        JsonNode capabilities = meta.get(CAPABILITIES);
        if (capabilities == null || !capabilities.isObject()) {
            throw ProtocolException.invalidParams("params._meta needs " + CAPABILITIES + ", an object.");
        }
        return capabilities;
    }

    static ProtocolException versionMissing() {
        return ProtocolException.invalidParams("params._meta needs " + SPOKEN + ".");
    }

    private static ProtocolException unsupported(String version) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        putVersions(data, "supported");
        return new ProtocolException(
                ProtocolException.UNSUPPORTED_VERSION,
                "This protocol version is not supported; use one of "
                        + String.join(", ", Conversation.VERSIONS) + ".",
                data.put("requested", version));
    }

    static void putVersions(ObjectNode node, String name) {
        List<String> versions = Conversation.VERSIONS;
        versions.forEach(node.withArray(name)::add);
    }

    /// A result that ends its request, and says whose it is.
    static ObjectNode complete(ObjectNode result, ObjectNode server) {
        result.put("resultType", "complete");
        result.withObject("_meta").set(KEYS + "serverInfo", server);
        return result;
    }

    /// The same, of what stays true for a while and for everybody.
    static ObjectNode cacheable(ObjectNode result, ObjectNode server) {
        return complete(result, server).put("ttlMs", FRESH_MS).put("cacheScope", "public");
    }

    /// Which subscription a message belongs to.
    static ObjectNode ofSubscription(ObjectNode node, JsonNode id) {
        node.withObject("_meta").set(KEYS + "subscriptionId", id);
        return node;
    }
}
