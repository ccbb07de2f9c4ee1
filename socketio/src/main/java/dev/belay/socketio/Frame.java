package dev.belay.socketio;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// One Engine.IO packet as it is sent: text in UTF-8 that starts with the digit of its type, or the bytes of a binary message.
///
/// The bytes are never copied on their way to a WebSocket: nobody may change them before they are taken.
record Frame(ByteBuffer bytes, boolean binary) {
    static Frame text(String text) {
        return new Frame(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), false);
    }

    int size() {
        return bytes.remaining();
    }
}
