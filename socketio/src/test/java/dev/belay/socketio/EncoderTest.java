package dev.belay.socketio;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EncoderTest {
    private static String text(Message message) {
        return StandardCharsets.UTF_8.decode(message.frames().get(0).bytes().duplicate()).toString();
    }

    @Test
    void packetsLookAsInTheDocument() {
        assertThat(text(Encoder.plain(SocketPacket.Type.CONNECT, "/admin", Map.of("sid", "x"))))
                .isEqualTo("40/admin,{\"sid\":\"x\"}");
        assertThat(text(Encoder.plain(SocketPacket.Type.DISCONNECT, "/", null))).isEqualTo("41");
        assertThat(text(Encoder.plain(SocketPacket.Type.DISCONNECT, "/admin", null))).isEqualTo("41/admin,");
        assertThat(text(Encoder.event("/", SocketPacket.NO_ID, List.of("foo")))).isEqualTo("42[\"foo\"]");
        assertThat(text(Encoder.event("/admin", 12, List.of("foo")))).isEqualTo("42/admin,12[\"foo\"]");
        assertThat(text(Encoder.ack("/admin", Long.MAX_VALUE, List.of()))).isEqualTo("43/admin,9223372036854775807[]");
    }

    @Test
    void anAttachmentIsNotCopied() {
        byte[] data = {1, 2, 3, 4};
        Message message =
                Encoder.event("/", SocketPacket.NO_ID, List.of("output", Map.of("data", ByteBuffer.wrap(data, 1, 2))));
        ByteBuffer sent = message.frames().get(1).bytes();
        assertThat(sent.remaining()).isEqualTo(2);
        data[1] = 42;
        assertThat(sent.get(sent.position())).isEqualTo((byte) 42);
    }

    @Test
    void aTextThatIsNoUnicodeIsSentAsGoodUtf8() throws Exception {
        Message message = Encoder.event("/", SocketPacket.NO_ID, List.of("x", "\ud800", "\ud83d\ude00"));
        assertThat(StandardCharsets.UTF_8.newDecoder().decode(message.frames().get(0).bytes()).toString())
                .isEqualTo("42[\"x\",\"\\uD800\",\"\ud83d\ude00\"]");
    }
}
