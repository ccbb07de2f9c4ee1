package dev.belay.socketio;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// The Socket.IO side of a connection: its sockets, one per namespace. Passes each packet to its socket.
final class Client implements Connection.Listener {
    /// The server stops reading from the client while more than this waits for handlers.
    private static final int QUEUED_BYTES = 128 * 1024;
    /// Largest message of a client that has not entered a namespace yet.
    private static final int STRANGER_BYTES = 16 * 1024;
    /// Memory per event besides its text.
    private static final int EVENT_OVERHEAD = 256;

    private final SocketServer server;
    private final Connection connection;
    private final Decoder decoder;
    /// By namespace. Sockets that left stay here, so that a packet the client sent before it knew does no harm.
    private final Map<String, Socket> sockets = new ConcurrentHashMap<>();
    private final AtomicLong queued = new AtomicLong();
    private final Object lock = new Object();
    private volatile @Nullable DisconnectReason ended;
    private volatile boolean known;
    /// Sockets that are in a namespace or asking to enter one. The lock guards it and the timer that runs while it is
    /// 0.
    private int present;
    private Scheduler.@Nullable Task timer;
    /// Closes a client that is not let in anywhere in time.
    private final Scheduler.Task stranger;
    /// Size of the packet being read. Used only by the thread that delivers.
    private long bytes;

    Client(SocketServer server, Connection connection) {
        this.server = server;
        this.connection = connection;
        decoder = new Decoder(connection.engine().settings().maxPayload());
        stranger = connection.engine().schedule(connection.engine().settings().connectTimeout(), this::closeIfUnknown);
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
                throw new MalformedPacketException("the client is already in this namespace");
            }
            connect(packet);
        } else if (socket == null) {
            throw new MalformedPacketException("packet for a namespace that the client has not entered");
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
            cancelTimer();
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
        if (queued.addAndGet(cost) > QUEUED_BYTES) {
            connection.pause();
        }
        socket.event(packet, () -> handled(cost));
        // The handlers may have caught up just before the pause.
        if (queued.get() <= QUEUED_BYTES) {
            connection.resume();
        }
    }

    private void handled(long cost) {
        if (queued.addAndGet(-cost) <= QUEUED_BYTES) {
            connection.resume();
        }
    }

    @Override
    public void closed(DisconnectReason reason) {
        ended = reason;
        stranger.cancel();
        synchronized (lock) {
            cancelTimer();
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
        stranger.cancel();
        connection.known();
        server.entered();
    }

    /// A socket left, or was not let in.
    void left(boolean wasIn) {
        if (wasIn) {
            server.left();
        }
        synchronized (lock) {
            present--;
            startTimer();
        }
    }

    /// A client that was never let in anywhere gets no more time, however often it tries.
    private void closeIfUnknown() {
        if (!known) {
            connection.end(DisconnectReason.CONNECT_TIMEOUT);
        }
    }

    /// Starts the timer that closes a client which has left its namespaces.
    private void startTimer() {
        if (known && present == 0 && ended == null) {
            cancelTimer();
            timer = connection.engine().schedule(connection.engine().settings().connectTimeout(), this::closeIfIdle);
        }
    }

    private void closeIfIdle() {
        synchronized (lock) {
            if (present > 0) {
                return;
            }
        }
        connection.close(DisconnectReason.CONNECT_TIMEOUT);
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
        }
    }
}
