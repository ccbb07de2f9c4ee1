package dev.belay.socketio;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// The Socket.IO side of a connection: its sockets, one per namespace, and who gets which packet.
final class Client implements Connection.Listener {
    /// When events of this size wait for their handlers, the client is not read any further.
    private static final int INBOX_BYTES = 128 * 1024;
    /// The most that a client may send at once that has never been let in anywhere.
    private static final int STRANGER_BYTES = 16 * 1024;
    /// What an event costs besides its text.
    private static final int EVENT_OVERHEAD = 256;

    private final SocketServer server;
    private final Connection connection;
    private final Decoder decoder;
    /// By namespace. Those that left stay, so that a packet sent before the client knew does no harm.
    private final Map<String, Socket> sockets = new ConcurrentHashMap<>();
    private final AtomicLong queued = new AtomicLong();
    private final Object lock = new Object();
    private volatile @Nullable DisconnectReason ended;
    private volatile boolean known;
    /// Sockets that are in a namespace or ask to enter one; guarded by the lock, like the timer while there are none.
    private int present;
    private Scheduler.@Nullable Task timer;
    /// The size of the packet that is being read; touched by the thread that delivers.
    private long bytes;

    Client(SocketServer server, Connection connection) {
        this.server = server;
        this.connection = connection;
        decoder = new Decoder(connection.engine().settings().maxPayload());
        synchronized (lock) {
            loiter();
        }
    }

    Connection connection() {
        return connection;
    }

    @Override
    public void text(String data) throws MalformedPacketException {
        bytes = data.length();
        accept(decoder.text(data));
    }

    @Override
    public void binary(byte[] data) throws MalformedPacketException {
        bytes += data.length;
        accept(decoder.binary(data));
    }

    private void accept(@Nullable SocketPacket packet) throws MalformedPacketException {
        if (packet == null) {
            return;
        }
        Socket socket = sockets.get(packet.namespace());
        if (packet.type() == SocketPacket.Type.CONNECT) {
            if (socket != null && !socket.gone()) {
                throw new MalformedPacketException("a client enters a namespace once");
            }
            connect(packet);
        } else if (socket == null) {
            throw new MalformedPacketException("a packet for a namespace that the client did not enter");
        } else if (!socket.gone()) {
            switch (packet.type()) {
                case EVENT, BINARY_EVENT -> event(socket, packet);
                case ACK, BINARY_ACK -> socket.answer(packet);
                case DISCONNECT -> socket.disconnected(DisconnectReason.CLIENT_DISCONNECT);
                case CONNECT, CONNECT_ERROR -> throw new IllegalStateException("checked by the decoder");
            }
        }
    }

    private void connect(SocketPacket packet) {
        String name = packet.namespace();
        Namespace namespace = server.namespace(name);
        if (namespace == null) {
            connection.send(
                    Encoder.plain(SocketPacket.Type.CONNECT_ERROR, name, Socket.error("Invalid namespace", null)));
            return;
        }
        JsonNode auth = packet.data();
        Handshake handshake = connection.handshake();
        Socket socket = new Socket(Engine.newId(), name, this, auth == null ? handshake : handshake.with(auth));
        synchronized (lock) {
            present++;
            cancel();
        }
        sockets.put(name, socket);
        socket.connect(namespace);
        DisconnectReason reason = ended;
        if (reason != null) {
            socket.disconnected(reason);
        }
    }

    private void event(Socket socket, SocketPacket packet) {
        long cost = bytes + EVENT_OVERHEAD;
        if (queued.addAndGet(cost) > INBOX_BYTES) {
            connection.pause();
        }
        socket.event(packet, () -> handled(cost));
        // The handlers may have caught up before the pause.
        if (queued.get() <= INBOX_BYTES) {
            connection.resume();
        }
    }

    private void handled(long cost) {
        if (queued.addAndGet(-cost) <= INBOX_BYTES) {
            connection.resume();
        }
    }

    @Override
    public void closed(DisconnectReason reason) {
        ended = reason;
        synchronized (lock) {
            cancel();
        }
        sockets.values().forEach(socket -> socket.disconnected(reason));
    }

    @Override
    public int limit(int most) {
        return known ? most : Math.min(most, STRANGER_BYTES);
    }

    /// A socket was let in.
    void entered() {
        known = true;
        server.entered();
    }

    /// A socket left, or was not let in.
    void left(boolean wasIn) {
        if (wasIn) {
            server.left();
        }
        synchronized (lock) {
            present--;
            loiter();
        }
    }

    /// A client without a namespace may stay for a while only.
    private void loiter() {
        if (present == 0 && ended == null) {
            cancel();
            timer = connection.engine().schedule(connection.engine().settings().connectTimeout(), this::leave);
        }
    }

    private void leave() {
        synchronized (lock) {
            if (present > 0) {
                return;
            }
        }
        connection.close(DisconnectReason.CONNECT_TIMEOUT);
    }

    private void cancel() {
        if (timer != null) {
            timer.cancel();
        }
    }
}
