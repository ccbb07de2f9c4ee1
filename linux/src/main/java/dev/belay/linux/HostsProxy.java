package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.Network;
import dev.belay.SessionException;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/// The way of one sandbox to the hosts that it may reach: a proxy for CONNECT on a Unix socket that the sandbox is
/// shown.
///
/// It looks names up itself and connects to what it has checked, so a name that changes its address leads nowhere else.
/// Addresses of this machine and of private networks are refused unless they are listed.
///
/// Runs on threads of its own, not on virtual ones: a name that is slow to look up would hold a carrier of all, and
/// once a virtual thread has waited for a socket, the JVM takes 300 ms longer to exit.
final class HostsProxy implements AutoCloseable {
    private static final int MAX_CONNECTIONS = 128;
    private static final int MAX_HEAD_BYTES = 8 << 10;
    private static final int BUFFER_BYTES = 16 << 10;
    private static final int CONNECT_MILLIS = 10_000;
    private static final Pattern CONNECT =
            Pattern.compile("CONNECT (?:\\[([0-9A-Fa-f:.]+)]|([^\\s:\\[\\]/]+)):([0-9]{1,5}) HTTP/1\\.[01]\r\n.*",
                    Pattern.DOTALL);

    private final Network.Hosts hosts;
    private final Path folder;
    private final ServerSocketChannel server;
    /// Who may connect.
    private final UserPrincipal client;
    /// Of both sides.
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /// @param user who may connect; null: Belay's own user
    HostsProxy(Network.Hosts hosts, Sandbox.@Nullable User user) {
        this.hosts = hosts;
        try {
            folder = Files.createTempDirectory("belay-hosts-");
            server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(UnixDomainSocketAddress.of(socket()));
            // Only Belay changes what the folder holds, so its paths lead where Belay left them.
            Files.setPosixFilePermissions(socket(), PosixFilePermissions.fromString("rw-rw-rw-"));
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
            client = user == null ? Files.getOwner(folder) : principal(user);
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.SPAWN_FAILED, "The proxy of the sandbox cannot start: " + e + ".", Map.of(), e);
        }
        Thread.ofPlatform().daemon().name("belay-hosts").start(this::accept);
    }

    private static UserPrincipal principal(Sandbox.User user) throws IOException {
        return FileSystems.getDefault().getUserPrincipalLookupService()
                .lookupPrincipalByName(Integer.toString(user.uid()));
    }

    /// The socket that the sandbox is shown. Everybody can connect, and strangers are dropped.
    Path socket() {
        return folder.resolve("proxy");
    }

    private void accept() {
        while (!closed) {
            try {
                SocketChannel connection = server.accept();
                open.add(connection);
                if (closed || open.size() > 2 * MAX_CONNECTIONS || !known(connection)) {
                    drop(connection);
                } else {
                    Thread.ofPlatform().daemon().name("belay-hosts").start(() -> serve(connection));
                }
            } catch (IOException e) {
                if (!closed) {
                    Log.LOG.log(System.Logger.Level.WARNING, "the proxy of a sandbox failed; it reaches no more"
                            + " hosts",
                            e);
                }
                return;
            }
        }
    }

    /// Whether the kernel says that the sandbox's user has connected.
    private boolean known(SocketChannel connection) {
        try {
            return connection.getOption(ExtendedSocketOptions.SO_PEERCRED).user().equals(client);
        } catch (IOException _) {
            // It has gone.
            return false;
        }
    }

    private void serve(SocketChannel client) {
        try {
            String head = head(client);
            Matcher asked = CONNECT.matcher(head);
            if (!asked.matches()) {
                refuse(client, "405 This sandbox reaches its hosts by CONNECT only (https)");
                return;
            }
            String host = asked.group(1) != null ? asked.group(1) : asked.group(2);
            int port = Integer.parseInt(asked.group(3));
            if (!hosts.allows(host, port)) {
                refuse(client, "403 " + host + ":" + port + " is not one of the hosts of this sandbox");
                return;
            }
            SocketChannel target = connect(host, port);
            if (target == null) {
                refuse(client, "403 " + host + " has a private address, which is not one of the hosts of this"
                        + " sandbox");
                return;
            }
            answer(client, "200 Connected");
            Thread back = Thread.ofPlatform().daemon().name("belay-hosts").start(() -> copy(target, client));
            copy(client, target);
            back.join();
            drop(target);
        } catch (UnknownHostException e) {
            refuse(client, "502 The name has no address");
        } catch (IOException | IllegalArgumentException e) {
            refuse(client, "502 The host does not answer");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            drop(client);
        }
    }

    private static String head(SocketChannel client) throws IOException {
        StringBuilder head = new StringBuilder();
        // Byte by byte: what follows the head belongs to the host.
        ByteBuffer one = ByteBuffer.allocate(1);
        while (head.length() < MAX_HEAD_BYTES && head.indexOf("\r\n\r\n", Math.max(0, head.length() - 4)) < 0) {
            if (client.read(one.clear()) < 0) {
                break;
            }
            head.append((char) (one.get(0) & 0xFF));
        }
        return head.toString();
    }

    /// @return null if all addresses of the host are private and none is listed
    private @Nullable SocketChannel connect(String host, int port) throws IOException {
        IOException last = null;
        for (InetAddress address : InetAddress.getAllByName(host)) {
            if (PrivateAddress.is(address) && !hosts.allows(address.getHostAddress(), port)) {
                continue;
            }
            SocketChannel target = SocketChannel.open();
            open.add(target);
            try {
                target.socket().connect(new InetSocketAddress(address, port), CONNECT_MILLIS);
                return target;
            } catch (IOException e) {
                drop(target);
                last = e;
            }
        }
        if (last != null) {
            throw last;
        }
        return null;
    }

    private static void copy(SocketChannel from, SocketChannel to) {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        try {
            while (from.read(buffer.clear()) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
            }
            to.shutdownOutput();
        } catch (IOException _) {
            // One side has gone; the other learns it.
            close(from);
            close(to);
        }
    }

    private static void answer(SocketChannel client, String status) throws IOException {
        client.write(ByteBuffer.wrap(("HTTP/1.1 " + status + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1)));
    }

    private static void refuse(SocketChannel client, String status) {
        try {
            answer(client, status.replaceAll("[^ -~]", "?"));
        } catch (IOException _) {
            // It does not want to know.
        }
    }

    private void drop(SocketChannel channel) {
        open.remove(channel);
        close(channel);
    }

    private static void close(Closeable channel) {
        try {
            channel.close();
        } catch (IOException e) {
            Log.LOG.log(System.Logger.Level.DEBUG, "cannot close a connection of a sandbox", e);
        }
    }

    @Override
    public void close() {
        closed = true;
        close(server);
        open.forEach(this::drop);
        try {
            Files.deleteIfExists(socket());
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            Log.LOG.log(System.Logger.Level.WARNING, "cannot delete the socket of a sandbox", e);
        }
    }
}
