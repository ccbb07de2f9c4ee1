package dev.belay.socketio;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// A Socket.IO packet ("Exchange protocol" in the protocol document) with its attachments in place as binary nodes.
///
/// @param id the acknowledgement id, or [#NO_ID]
record SocketPacket(Type type, String namespace, long id, @Nullable JsonNode data) {
    enum Type {
        CONNECT('0'),
        DISCONNECT('1'),
        EVENT('2'),
        ACK('3'),
        CONNECT_ERROR('4'),
        BINARY_EVENT('5'),
        BINARY_ACK('6');

        private final char digit;

        Type(char digit) {
            this.digit = digit;
        }

        static Type of(char digit) throws MalformedPacketException {
            for (Type type : values()) {
                if (type.digit == digit) {
                    return type;
                }
            }
            throw new MalformedPacketException("Socket.IO packet does not start with a digit from 0 to 6");
        }

        char digit() {
            return digit;
        }

        boolean binary() {
            return this == BINARY_EVENT || this == BINARY_ACK;
        }
    }

    static final long NO_ID = -1;
    static final String MAIN = "/";

    /// Events that client and server libraries fire themselves. Nobody may send them.
    static final Set<String> RESERVED =
            Set.of("connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener");

    /// The event name, which is the first argument.
    String event() {
        return data == null ? "" : data.get(0).asString();
    }

    /// Throws unless a client may send this: the payload must fit the type.
    void check() throws MalformedPacketException {
        boolean good = switch (type) {
            case CONNECT -> id == NO_ID && (data == null || data.isObject());
            case DISCONNECT -> id == NO_ID && data == null;
            case EVENT, BINARY_EVENT -> data != null && data.isArray() && !data.isEmpty() && named(data.get(0));
            case ACK, BINARY_ACK -> data != null && data.isArray() && id != NO_ID;
            case CONNECT_ERROR -> false;
        };
        if (!good) {
            throw new MalformedPacketException(
                    "wrong payload for a packet of type " + type);
        }
    }

    private static boolean named(JsonNode event) {
        return event.isString() ? !RESERVED.contains(event.stringValue()) : event.isIntegralNumber();
    }
}
