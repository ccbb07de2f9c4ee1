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
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/// The way of one sandbox to the hosts that it may reach: a proxy on a Unix socket that the sandbox is shown.
///
/// It looks names up itself and connects to what it has checked, so a name that changes its address leads nowhere else.
/// Addresses of this machine and of private networks are refused unless they are listed.
///
/// Runs on threads of its own, not on virtual ones: a name that is slow to look up would hold a carrier of all, and
/// once a virtual thread has waited for a socket, the JVM takes 300 ms longer to exit.
final class HostsProxy implements AutoCloseable {
    private static final int MAX_CONNECTIONS = 128;
    private static final int BUFFER_BYTES = 16 << 10;
    private static final int CONNECT_MILLIS = 10_000;

    private final Network.Hosts hosts;
    private final HostsInside inside;
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
        this.inside = new HostsInside(hosts);
        try {
            folder = Files.createTempDirectory("belay-hosts-");
            server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        } catch (IOException e) {
            throw failed(e);
        }
        try {
            server.bind(UnixDomainSocketAddress.of(socket()));
            inside.write(folder);
            // Only Belay changes what the folder holds, so its paths lead where Belay left them.
            Files.setPosixFilePermissions(socket(), PosixFilePermissions.fromString("rw-rw-rw-"));
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
            client = user == null ? Files.getOwner(folder) : principal(user);
        } catch (IOException e) {
            close();
            throw failed(e);
        }
        start(this::accept);
    }

    private static SessionException failed(IOException e) {
        return new SessionException(
                ErrorCode.SPAWN_FAILED, "The proxy of the sandbox cannot start: " + e + ".", Map.of(), e);
    }

    private static Thread start(Runnable task) {
        return Thread.ofPlatform().daemon().name("belay-hosts").start(task);
    }

    private static UserPrincipal principal(Sandbox.User user) throws IOException {
        return FileSystems.getDefault().getUserPrincipalLookupService()
                .lookupPrincipalByName(Integer.toString(user.uid()));
    }

    /// The socket that the sandbox is shown. Everybody can connect, and strangers are dropped.
    Path socket() {
        return folder.resolve("proxy");
    }

    HostsInside inside() {
        return inside;
    }

    /// Options of bubblewrap that show the proxy.
    List<String> mounts() {
        return inside.mounts(folder);
    }

    private void accept() {
        while (!closed) {
            try {
                SocketChannel connection = server.accept();
                open.add(connection);
                if (closed || open.size() > 2 * MAX_CONNECTIONS || !known(connection)) {
                    drop(connection);
                } else {
                    start(() -> serve(connection));
                }
            } catch (IOException e) {
                if (!closed) {
                    Log.LOG.log(System.Logger.Level.WARNING, "the proxy of a sandbox failed; it reaches no more hosts",
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

    private void serve(SocketChannel connection) {
        try {
            HostsRequest asked = HostsRequest.read(connection);
            SocketChannel target = connect(asked);
            try {
                send(connection, ByteBuffer.wrap(asked.granted()));
                send(target, ByteBuffer.wrap(asked.head()));
                Thread back = start(() -> copy(target, connection, Long.MAX_VALUE));
                copy(connection, target, asked.rest());
                back.join();
            } finally {
                drop(target);
            }
        } catch (HostsRequest.Refused e) {
            tell(connection, e.answer());
        } catch (IOException _) {
            // The client has gone, or the host.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            drop(connection);
        }
    }

    private SocketChannel connect(HostsRequest asked) throws HostsRequest.Refused {
        if (!hosts.allows(asked.host(), asked.port())) {
            throw asked.refused(HostsRequest.Refusal.UNLISTED);
        }
        HostsRequest.Refusal why = HostsRequest.Refusal.PRIVATE;
        for (InetAddress address : addresses(asked)) {
            if (!PrivateAddress.is(address) || hosts.allows(address.getHostAddress(), asked.port())) {
                SocketChannel target = connected(new InetSocketAddress(address, asked.port()));
                if (target != null) {
                    return target;
                }
                why = HostsRequest.Refusal.SILENT;
            }
        }
        throw asked.refused(why);
    }

    private static InetAddress[] addresses(HostsRequest asked) throws HostsRequest.Refused {
        try {
            return InetAddress.getAllByName(asked.host());
        } catch (UnknownHostException _) {
            throw asked.refused(HostsRequest.Refusal.UNKNOWN);
        }
    }

    /// @return null if nobody answers
    private @Nullable SocketChannel connected(InetSocketAddress address) {
        SocketChannel target = null;
        try {
            target = SocketChannel.open();
            open.add(target);
            target.socket().connect(address, CONNECT_MILLIS);
            return target;
        } catch (IOException _) {
            if (target != null) {
                drop(target);
            }
            return null;
        }
    }

    /// @param most how much may pass; if there is more, both sides are closed
    private static void copy(SocketChannel from, SocketChannel to, long most) {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        long left = most;
        try {
            while (from.read(buffer.clear()) >= 0) {
                left -= buffer.flip().remaining();
                if (left < 0) {
                    throw new IOException("another request");
                }
                send(to, buffer);
            }
            to.shutdownOutput();
        } catch (IOException _) {
            // One side has gone; the other learns it.
            close(from);
            close(to);
        }
    }

    private static void send(SocketChannel to, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
    }

    private static void tell(SocketChannel connection, byte[] answer) {
        try {
            send(connection, ByteBuffer.wrap(answer));
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
        try (DirectoryStream<Path> content = Files.newDirectoryStream(folder)) {
            for (Path file : content) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (NoSuchFileException _) {
            // It was closed before.
        } catch (IOException e) {
            Log.LOG.log(System.Logger.Level.WARNING, "cannot delete the folder of a sandbox's proxy", e);
        }
    }
}
