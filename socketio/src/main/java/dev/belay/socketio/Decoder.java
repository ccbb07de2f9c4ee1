package dev.belay.socketio;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Reads Socket.IO packets ("Packet encoding" in the protocol document): a text and the binary messages it announces.
///
/// One per connection, used by one thread at a time. A packet and its attachments together may be as large as a
/// payload.
final class Decoder {
    static final int MAX_ATTACHMENTS = 64;
    private static final int MAX_NAMESPACE = 256;
    private static final int MAX_DIGITS = 18;

    private final int limit;
    private final List<byte[]> attachments = new ArrayList<>();
    private @Nullable SocketPacket partial;
    private int announced;
    private long bytes;

    Decoder(int limit) {
        this.limit = limit;
    }

    /// Reads a text message.
    ///
    /// @return the packet, or null if its attachments are still to come
    @Nullable SocketPacket text(String text) throws MalformedPacketException {
        if (partial != null) {
            throw new MalformedPacketException("text where an attachment was expected");
        }
        Scanner scanner = new Scanner(text);
        SocketPacket.Type type = SocketPacket.Type.of(scanner.next());
        announced = type.binary() ? scanner.attachments() : 0;
        SocketPacket packet = new SocketPacket(type, scanner.namespace(), scanner.id(), scanner.json());
        packet.check();
        if (announced == 0) {
            return type.binary() ? whole(packet) : packet;
        }
        partial = packet;
        bytes = text.length();
        return null;
    }

    /// Reads a binary message: the next attachment of the packet that announced it.
    ///
    /// @return the packet, or null if more attachments are still to come
    @Nullable SocketPacket binary(byte[] attachment) throws MalformedPacketException {
        SocketPacket packet = partial;
        if (packet == null) {
            throw new MalformedPacketException("attachment that no packet announced");
        }
        bytes += attachment.length;
        if (bytes > limit) {
            throw new MalformedPacketException("packet and attachments exceed " + limit + " bytes");
        }
        attachments.add(attachment);
        if (attachments.size() < announced) {
            return null;
        }
        partial = null;
        try {
            return whole(packet);
        } finally {
            attachments.clear();
        }
    }

    private SocketPacket whole(SocketPacket packet) throws MalformedPacketException {
        JsonNode data = packet.data();
        return new SocketPacket(packet.type(), packet.namespace(), packet.id(), data == null ? null : filled(data));
    }

    /// Replaces placeholders with their attachments. The JSON reader bounds the depth of this recursion.
    private JsonNode filled(JsonNode node) throws MalformedPacketException {
        if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, filled(array.get(i)));
            }
        } else if (node instanceof ObjectNode object) {
            if (object.path("_placeholder").isBoolean() && object.path("_placeholder").booleanValue()) {
                JsonNode number = object.path("num");
                if (!number.isInt() || number.intValue() < 0 || number.intValue() >= attachments.size()) {
                    throw new MalformedPacketException("placeholder without an attachment");
                }
                return JsonNodeFactory.instance.binaryNode(attachments.get(number.intValue()));
            }
            for (String name : List.copyOf(object.propertyNames())) {
                object.set(name, filled(object.get(name)));
            }
        }
        return node;
    }

    /// Reads the text of a packet from left to right.
    private static final class Scanner {
        private final String text;
        private int at;

        Scanner(String text) {
            this.text = text;
        }

        char next() throws MalformedPacketException {
            if (at == text.length()) {
                throw new MalformedPacketException("packet ends too early");
            }
            return text.charAt(at++);
        }

        int attachments() throws MalformedPacketException {
            long count = number();
            if (count < 0 || count > MAX_ATTACHMENTS || next() != '-') {
                throw new MalformedPacketException(
                        "binary packet without a number of attachments from 0 to " + MAX_ATTACHMENTS);
            }
            return (int) count;
        }

        String namespace() throws MalformedPacketException {
            if (at == text.length() || text.charAt(at) != '/') {
                return SocketPacket.MAIN;
            }
            int comma = text.indexOf(',', at);
            int end = comma < 0 ? text.length() : comma;
            if (end - at > MAX_NAMESPACE) {
                throw new MalformedPacketException("namespace longer than " + MAX_NAMESPACE + " characters");
            }
            String namespace = text.substring(at, end);
            at = comma < 0 ? end : end + 1;
            return namespace;
        }

        long id() throws MalformedPacketException {
            return number();
        }

        @Nullable JsonNode json() throws MalformedPacketException {
            if (at == text.length()) {
                return null;
            }
            try {
                return PacketJson.read(text.substring(at));
            } catch (JacksonException _) {
                throw new MalformedPacketException("payload is not JSON");
            }
        }

        /// Reads digits; [SocketPacket#NO_ID] if there are none.
        private long number() throws MalformedPacketException {
            int start = at;
            long value = 0;
            while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
                value = value * 10 + (text.charAt(at) - '0');
                at++;
                if (at - start > MAX_DIGITS) {
                    throw new MalformedPacketException("number with more than " + MAX_DIGITS + " digits");
                }
            }
            return at == start ? SocketPacket.NO_ID : value;
        }
    }
}
