package dev.belay.socketio;

/// An Engine.IO packet as text: a digit for its type, then its data ("Protocol" and "Packet encoding" in the protocol
/// document).
///
/// Binary data has no packet around it on a WebSocket; in a [Payload] it is `b` and base64.
record EnginePacket(Type type, String data) {
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

    /// Parses a text frame, or one part of a payload.
    static EnginePacket parse(String frame) throws MalformedPacketException {
        for (Type type : Type.values()) {
            if (!frame.isEmpty() && frame.charAt(0) == type.digit) {
                return new EnginePacket(type, frame.substring(1));
            }
        }
        throw new MalformedPacketException("Engine.IO packet does not start with a digit from 0 to 6");
    }

    Frame frame() {
        return Frame.text(type.digit + data);
    }
}
