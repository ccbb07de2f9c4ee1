package dev.belay.socketio;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// One Engine.IO packet as it is sent: UTF-8 text that starts with its type digit, or the bytes of a binary message.
///
/// The bytes are not copied on their way to a WebSocket, so they must not change until they are written.
record Frame(ByteBuffer bytes, boolean binary) {
    static Frame text(String text) {
        return new Frame(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), false);
    }

    int size() {
        return bytes.remaining();
    }
}
