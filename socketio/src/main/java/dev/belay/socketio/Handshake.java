package dev.belay.socketio;

import java.net.SocketAddress;
import java.util.Map;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Request;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/// What the server knows about a client that asks to enter a namespace.
///
/// @param auth       the client's `auth` object; empty if it sent none
/// @param uri        the URI of its first request
/// @param headers    the headers of its first request
/// @param remote     the client's address
/// @param attributes the attributes that handlers in front set on its first request, such as the user
public record Handshake(JsonNode auth, HttpURI uri, HttpFields headers, SocketAddress remote,
        Map<String, Object> attributes) {
    static Handshake of(Request request) {
        return new Handshake(JsonNodeFactory.instance.objectNode(), request.getHttpURI(),
                request.getHeaders().asImmutable(),
                request.getConnectionMetaData().getRemoteSocketAddress(), Map.copyOf(request.asAttributeMap()));
    }

    Handshake with(JsonNode auth) {
        return new Handshake(auth, uri, headers, remote, attributes);
    }
}
