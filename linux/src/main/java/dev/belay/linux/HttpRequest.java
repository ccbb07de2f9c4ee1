package dev.belay.linux;

import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A tunnel by CONNECT, or a single request for an `http` address.
///
/// Such a request is the only one of its connection: the host is told to close it, and nothing that the client sends
/// after it reaches that host. So a request for another host gets a connection of its own, and is checked.
///
/// @param forwarded what the host is asked; empty for a tunnel
record HttpRequest(String host, int port, String forwarded, long rest) implements HostsRequest {
    private static final int MAX_HEAD_BYTES = 64 << 10;
    private static final String END = "\r\n\r\n";
    private static final String AUTHORITY = "(?:\\[([0-9A-Fa-f:.]+)]|([A-Za-z0-9._-]+))";
    private static final Pattern TUNNEL =
            Pattern.compile("CONNECT " + AUTHORITY + ":([0-9]{1,5}) HTTP/1\\.[01]\r\n.*", Pattern.DOTALL);
    private static final Pattern SINGLE = Pattern.compile(
            "([A-Z]+) http://" + AUTHORITY + "(?::([0-9]{1,5}))?([/?][^ \r\n]*)? (HTTP/1\\.[01]\r\n)(.*)",
            Pattern.DOTALL | Pattern.CASE_INSENSITIVE);
    private static final int DEFAULT_PORT = 80;
    /// Headers between a client and its proxy, and one that we write ourselves.
    private static final Set<String> HOP = Set.of("connection", "proxy-connection", "proxy-authorization", "keep-alive",
            "te", "upgrade", "http2-settings", "host");

    /// Reads what follows the first character.
    static HttpRequest read(char first, ByteChannel client) throws IOException {
        StringBuilder head = new StringBuilder().append(first);
        // Byte by byte: what follows the head belongs to the host.
        while (head.indexOf(END, Math.max(0, head.length() - END.length())) < 0) {
            if (head.length() == MAX_HEAD_BYTES) {
                throw answer("431 The request is too long");
            }
            head.append((char) (HostsRequest.bytes(client, 1)[0] & 0xFF));
        }
        Matcher tunnel = TUNNEL.matcher(head);
        if (tunnel.matches()) {
            return new HttpRequest(host(tunnel, 1), port(tunnel.group(3)), "", Long.MAX_VALUE);
        }
        Matcher single = SINGLE.matcher(head);
        if (single.matches()) {
            return single(single);
        }
        throw answer("405 This is the proxy of a sandbox; ask it for CONNECT or for an http address");
    }

    private static HttpRequest single(Matcher asked) throws Refused {
        String host = host(asked, 2);
        String written = asked.group(2) != null ? "[" + host + "]" : host;
        String port = asked.group(4) == null ? "" : ":" + asked.group(4);
        String path =
                asked.group(5) == null ? "/" : asked.group(5).startsWith("?") ? "/" + asked.group(5) : asked.group(5);
        StringBuilder head = new StringBuilder()
                .append(asked.group(1)).append(' ').append(path).append(' ').append(asked.group(6))
                .append("Host: ").append(written).append(port).append("\r\nConnection: close\r\n");
        long rest = 0;
        for (String line : asked.group(7).split("\r\n", -1)) {
            String name = line.substring(0, Math.max(0, line.indexOf(':'))).strip().toLowerCase(java.util.Locale.ROOT);
            if (name.equals("transfer-encoding")) {
                rest = Long.MAX_VALUE;
            } else if (name.equals("content-length") && rest == 0) {
                rest = length(line.substring(line.indexOf(':') + 1).strip());
            }
            if (!name.isEmpty() && !HOP.contains(name)) {
                head.append(line).append("\r\n");
            }
        }
        return new HttpRequest(
                host, asked.group(4) == null ? DEFAULT_PORT : port(asked.group(4)), head.append("\r\n").toString(),
                rest);
    }

    private static String host(Matcher asked, int group) {
        return asked.group(group) != null ? asked.group(group) : asked.group(group + 1);
    }

    private static int port(String digits) throws Refused {
        int port = Integer.parseInt(digits);
        if (port == 0 || port > MAX_PORT) {
            throw answer("400 There is no port " + port);
        }
        return port;
    }

    private static long length(String digits) throws Refused {
        if (!digits.matches("[0-9]{1,18}")) {
            throw answer("400 The length of the request is not a number");
        }
        return Long.parseLong(digits);
    }

    @Override
    public byte[] granted() {
        return (forwarded.isEmpty() ? "HTTP/1.1 200 Connected" + END : "").getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public Refused refused(Refusal why) {
        return answer(switch (why) {
            case UNLISTED -> "403 " + host + ":" + port + " is not one of the hosts of this sandbox";
            case PRIVATE -> "403 " + host + " has a private address, which is not one of the hosts of this sandbox";
            case UNKNOWN -> "502 The name " + host + " has no address";
            case SILENT -> "502 " + host + ":" + port + " does not answer";
        });
    }

    /// @param status a number and a sentence, which is the content as well
    private static Refused answer(String status) {
        String content = status.substring(status.indexOf(' ') + 1) + "\n";
        return new Refused(
                ("HTTP/1.1 " + status + "\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: "
                        + content.length() + END + content).getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public byte[] head() {
        return forwarded.getBytes(StandardCharsets.ISO_8859_1);
    }
}
