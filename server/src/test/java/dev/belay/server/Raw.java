package dev.belay.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/// A plain socket, to send what no well-behaved client would.
final class Raw implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    Raw(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(60_000);
        in = socket.getInputStream();
        out = socket.getOutputStream();
    }

    Raw send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    Raw send(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
        return this;
    }

    /// A whole request: the lines given, and the end of the headers.
    Raw request(String... lines) throws IOException {
        return send(String.join("\r\n", lines) + "\r\n\r\n");
    }

    /// The status of the answer, or 0 if the connection was closed instead.
    int status() throws IOException {
        String line = line();
        return line.startsWith("HTTP/1.1 ") ? Integer.parseInt(line.substring(9, 12)) : 0;
    }

    String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int c = in.read();
        while (c >= 0 && c != '\n') {
            line.write(c);
            c = in.read();
        }
        return line.toString(StandardCharsets.ISO_8859_1).strip();
    }

    /// Reads headers up to the empty line.
    void headers() throws IOException {
        String line = line();
        while (!line.isEmpty()) {
            line = line();
        }
    }

    int read() throws IOException {
        return in.read();
    }

    byte[] rest() throws IOException {
        return in.readAllBytes();
    }

    /// Whether the other side has closed: the end is read, whatever comes before it.
    boolean ends() {
        try {
            in.readAllBytes();
            return true;
        } catch (java.net.SocketTimeoutException _) {
            return false;
        } catch (IOException _) {
            // A reset is an end too.
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
