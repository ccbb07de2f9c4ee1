package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.Visible;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/// What a client command prints on standard output, unbuffered. Throws [NoReader] if nobody reads it any more.
final class Output {
    /// Not closed: standard output is not ours.
    private static final FileOutputStream OUT = new FileOutputStream(FileDescriptor.out);

    private Output() {}

    /// Nobody reads the output any more, as in `belay read ID | head -1`. The command ends without a message.
    static final class NoReader extends RuntimeException {
        private static final long serialVersionUID = 1;

        NoReader(IOException cause) {
            super(cause);
        }
    }

    /// Prints JSON. Hidden characters are escaped, which changes nothing for programs.
    static void json(JsonNode node) {
        line(Visible.json(node.toString()));
    }

    static void line(String text) {
        text(text + "\n");
    }

    static void text(String text) {
        bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    static void bytes(byte[] bytes) {
        try {
            OUT.write(bytes);
        } catch (IOException e) {
            if (Display.noReader()) {
                throw new NoReader(e);
            }
            throw new SessionException(
                    ErrorCode.UNAVAILABLE, "Cannot write the output: " + e.getMessage(), Map.of(), e);
        }
    }
}
