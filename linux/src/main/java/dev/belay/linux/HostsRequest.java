package dev.belay.linux;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.regex.Pattern;

/// What a client of a [HostsProxy] asks for, and how it hears the answer: by HTTP, or by SOCKS if its first byte says
/// so.
sealed interface HostsRequest permits HttpRequest, SocksRequest {
    /// Names and addresses as they are written, without brackets. No resolver reads anything else into them.
    Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+");
    int MAX_PORT = 65_535;

    /// Why a host is not reached.
    enum Refusal {
        UNLISTED,
        PRIVATE,
        UNKNOWN,
        SILENT
    }

    /// Ends a request, with what its client hears.
    final class Refused extends IOException {
        private static final long serialVersionUID = 1;
        private final byte[] answer;

        Refused(byte[] answer) {
            super("refused");
            this.answer = answer;
        }

        byte[] answer() {
            return answer.clone();
        }
    }

    /// Blocks until the client has said what it wants.
    static HostsRequest read(ByteChannel client) throws IOException {
        byte first = bytes(client, 1)[0];
        return first == SocksRequest.VERSION ? SocksRequest.read(client) : HttpRequest.read((char) first, client);
    }

    String host();

    int port();

    /// What the client hears once its host is reached.
    byte[] granted();

    /// What it hears otherwise.
    Refused refused(Refusal why);

    /// What the host hears before the rest that the client sends.
    byte[] head();

    /// How much of that rest there may be.
    long rest();

    static byte[] bytes(ByteChannel client, int count) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(count);
        while (bytes.hasRemaining()) {
            if (client.read(bytes) < 0) {
                throw new EOFException();
            }
        }
        return bytes.array();
    }
}
