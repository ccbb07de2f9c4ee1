package dev.belay.socketio;

import java.net.SocketAddress;
import java.util.Map;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Request;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/// What is known of a client that asks to enter a namespace.
///
/// @param auth what the client sent along to be let in; an empty object if it sent nothing
/// @param uri the address of its first request
/// @param headers the headers of its first request
/// @param remote where it is
/// @param attributes what the handlers in front noted on its first request, such as who the user is
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
