package dev.belay.linux;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.charset.StandardCharsets;

/// A connection by SOCKS 5, without a password.
record SocksRequest(String host, int port) implements HostsRequest {
    static final byte VERSION = 5;

    private static final byte CONNECT = 1;
    private static final byte IPV4 = 1;
    private static final byte NAME = 3;
    private static final byte IPV6 = 4;
    private static final byte NO_PASSWORD = 0;
    private static final byte NO_METHOD = (byte) 0xFF;

    // Replies.
    private static final byte DONE = 0;
    private static final byte NOT_ALLOWED = 2;
    private static final byte UNREACHABLE = 4;
    private static final byte CONNECTION_REFUSED = 5;
    private static final byte UNKNOWN_COMMAND = 7;
    private static final byte UNKNOWN_ADDRESS = 8;

    /// Reads what follows the first byte.
    static SocksRequest read(ByteChannel client) throws IOException {
        byte[] methods = HostsRequest.bytes(client, number(client));
        if (new String(methods, StandardCharsets.ISO_8859_1).indexOf(NO_PASSWORD) < 0) {
            throw new Refused(new byte[] {VERSION, NO_METHOD});
        }
        client.write(ByteBuffer.wrap(new byte[] {VERSION, NO_PASSWORD}));
        byte[] asked = HostsRequest.bytes(client, 4);
        if (asked[0] != VERSION || asked[1] != CONNECT) {
            throw new Refused(reply(UNKNOWN_COMMAND));
        }
        String host = switch (asked[3]) {
            case IPV4 -> address(client, 4);
            case IPV6 -> address(client, 16);
            case NAME -> new String(HostsRequest.bytes(client, number(client)), StandardCharsets.ISO_8859_1);
            default -> throw new Refused(reply(UNKNOWN_ADDRESS));
        };
        int port = ByteBuffer.wrap(HostsRequest.bytes(client, 2)).getShort() & 0xFFFF;
        if (port == 0 || !HOST.matcher(host).matches()) {
            throw new Refused(reply(UNKNOWN_ADDRESS));
        }
        return new SocksRequest(host, port);
    }

    private static int number(ByteChannel client) throws IOException {
        return HostsRequest.bytes(client, 1)[0] & 0xFF;
    }

    private static String address(ByteChannel client, int length) throws IOException {
        return InetAddress.getByAddress(HostsRequest.bytes(client, length)).getHostAddress();
    }

    private static byte[] reply(byte code) {
        return new byte[] {VERSION, code, 0, IPV4, 0, 0, 0, 0, 0, 0};
    }

    @Override
    public byte[] granted() {
        return reply(DONE);
    }

    @Override
    public Refused refused(Refusal why) {
        return new Refused(reply(switch (why) {
            case UNLISTED, PRIVATE -> NOT_ALLOWED;
            case UNKNOWN -> UNREACHABLE;
            case SILENT -> CONNECTION_REFUSED;
        }));
    }

    @Override
    public byte[] head() {
        return new byte[0];
    }

    @Override
    public long rest() {
        return Long.MAX_VALUE;
    }
}
