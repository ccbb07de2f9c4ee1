package dev.belay.socketio;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/// The body of a polling request or response ("Packet encoding: HTTP long-polling" in the protocol document): packets
/// with record separators between them, binary ones as `b` and base64.
///
/// An instance hands out the packets of a body one by one, so that a body of many small packets needs no more memory
/// than the packet being read.
final class Payload {
    @FunctionalInterface
    interface Receiver<T> {
        void receive(T packet) throws MalformedPacketException;
    }

    private static final char SEPARATOR = '\u001e';
    private static final char BINARY = 'b';

    private final String body;
    private int next;

    private Payload(String body) {
        this.body = body;
    }

    static Payload of(byte[] body) throws MalformedPacketException {
        try {
            return new Payload(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString());
        } catch (CharacterCodingException _) {
            throw new MalformedPacketException("payload is not UTF-8");
        }
    }

    boolean hasNext() {
        return next <= body.length();
    }

    /// Passes the next packet to one of the receivers.
    void next(Receiver<EnginePacket> texts, Receiver<byte[]> binaries) throws MalformedPacketException {
        int end = body.indexOf(SEPARATOR, next);
        String part = body.substring(next, end < 0 ? body.length() : end);
        next = end < 0 ? body.length() + 1 : end + 1;
        if (part.isEmpty() || part.charAt(0) != BINARY) {
            texts.receive(EnginePacket.parse(part));
        } else {
            binaries.receive(decode(part.substring(1)));
        }
    }

    private static byte[] decode(String base64) throws MalformedPacketException {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException _) {
            throw new MalformedPacketException("binary packet is not base64");
        }
    }

    /// The body of a response with these packets.
    static ByteBuffer encode(List<Frame> frames) {
        int size = frames.size() - 1;
        for (Frame frame : frames) {
            size += frame.binary() ? 1 + (frame.size() + 2) / 3 * 4 : frame.size();
        }
        ByteBuffer body = ByteBuffer.allocate(size);
        for (Frame frame : frames) {
            if (body.position() > 0) {
                body.put((byte) SEPARATOR);
            }
            ByteBuffer bytes = frame.bytes().duplicate();
            if (frame.binary()) {
                body.put((byte) BINARY).put(Base64.getEncoder().encode(bytes));
            } else {
                body.put(bytes);
            }
        }
        return body.flip();
    }
}
