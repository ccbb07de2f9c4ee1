package dev.belay.socketio;

/// An Engine.IO packet in text: a digit for its type, then its data ("Protocol" and "Packet encoding" of the document).
///
/// Binary data has no packet around it on a WebSocket, and `b` with base64 in a [Payload].
record EnginePacket(Type type, String data) {
    /// What a packet is for.
    enum Type {
        OPEN('0'),
        CLOSE('1'),
        PING('2'),
        PONG('3'),
        MESSAGE('4'),
        UPGRADE('5'),
        NOOP('6');

        private final char digit;

        Type(char digit) {
            this.digit = digit;
        }

        char digit() {
            return digit;
        }
    }

    static final EnginePacket CLOSE = new EnginePacket(Type.CLOSE, "");
    static final EnginePacket NOOP = new EnginePacket(Type.NOOP, "");

    /// Reads the packet of a text frame, or one part of a payload.
    static EnginePacket parse(String frame) throws MalformedPacketException {
        for (Type type : Type.values()) {
            if (!frame.isEmpty() && frame.charAt(0) == type.digit) {
                return new EnginePacket(type, frame.substring(1));
            }
        }
        throw new MalformedPacketException("an Engine.IO packet starts with a digit from 0 to 6");
    }

    /// The packet as it is sent.
    Frame frame() {
        return Frame.text(type.digit + data);
    }
}
