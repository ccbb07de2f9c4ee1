package dev.belay.socketio;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes Socket.IO packets as Engine.IO messages ("Packet encoding" in the protocol document).
///
/// The number of attachments comes first but is known last, so the text is written behind some free room, and the
/// prefix then goes into that room. Attachments are not copied.
final class Encoder {
    /// A buffer with room at its start. Its array is used without a copy.
    private static final class Buffer extends ByteArrayOutputStream {
        Buffer(int room) {
            super(room + 128);
            count = room;
        }

        ByteBuffer prefixed(byte[] prefix, int room) {
            System.arraycopy(prefix, 0, buf, room - prefix.length, prefix.length);
            return ByteBuffer.wrap(buf, room - prefix.length, count - room + prefix.length);
        }
    }

    /// Two type digits, the number of attachments and its hyphen, a comma, an id.
    private static final int ROOM = 2 + 10 + 1 + 1 + 19;

    private Encoder() {}

    /// A packet without attachments: connect, disconnect, connect error.
    static Message plain(SocketPacket.Type type, String namespace, @Nullable Object data) {
        return encode(type, type, namespace, SocketPacket.NO_ID, data);
    }

    static Message event(String namespace, long id, List<?> data) {
        return encode(SocketPacket.Type.EVENT, SocketPacket.Type.BINARY_EVENT, namespace, id, data);
    }

    static Message ack(String namespace, long id, List<?> data) {
        return encode(SocketPacket.Type.ACK, SocketPacket.Type.BINARY_ACK, namespace, id, data);
    }

    private static Message encode(SocketPacket.Type plain, SocketPacket.Type binary, String namespace, long id,
            @Nullable Object data) {
        String name = namespace.equals(SocketPacket.MAIN) ? "" : namespace + ",";
        byte[] path = name.getBytes(StandardCharsets.UTF_8);
        int room = ROOM + path.length;
        Buffer text = new Buffer(room);
        List<ByteBuffer> attachments = data == null ? List.of() : PacketJson.write(data, text);
        StringBuilder prefix = new StringBuilder().append(EnginePacket.Type.MESSAGE.digit());
        if (attachments.isEmpty()) {
            prefix.append(plain.digit());
        } else {
            prefix.append(binary.digit()).append(attachments.size()).append('-');
        }
        prefix.append(name);
        if (id != SocketPacket.NO_ID) {
            prefix.append(id);
        }
        List<Frame> frames = new ArrayList<>(1 + attachments.size());
        frames.add(new Frame(text.prefixed(prefix.toString().getBytes(StandardCharsets.UTF_8), room), false));
        attachments.forEach(bytes -> frames.add(new Frame(bytes, true)));
        return Message.of(frames);
    }
}
