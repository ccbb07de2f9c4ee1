package dev.belay.server.ws;

import java.util.Arrays;
import java.util.Optional;

/// The first byte of every message: what follows. Numbers are big-endian, texts UTF-8; see docs/protocol.md.
enum MessageKind {
    // to the client
    ATTACHED(0x00),
    OUTPUT(0x01),
    GAP(0x02),
    RESIZED(0x03),
    HOLDER(0x04),
    EXIT(0x05),
    ERROR(0x06),
    TAKEN(0x07),
    SCREEN(0x08),
    // 0x09 is spoken for: commands
    APPROVAL(0x0a),
    APPROVAL_CLOSED(0x0b),
    CUT(0x0c),
    // to the server
    INPUT(0x10),
    INPUT_ONCE(0x11),
    ACK(0x12),
    RESIZE(0x13),
    SIGNAL(0x14),
    LEASE(0x15),
    COLOURS(0x16),
    ANSWER(0x17),
    OPEN(0x18);

    final byte code;

    MessageKind(int code) {
        this.code = (byte) code;
    }

    static Optional<MessageKind> of(byte code) {
        return Arrays.stream(values()).filter(kind -> kind.code == code).findFirst();
    }
}
