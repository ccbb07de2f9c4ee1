package dev.belay.socketio;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.FrameHandler;
import org.eclipse.jetty.websocket.core.OpCode;
import org.eclipse.jetty.websocket.core.exception.BadPayloadException;
import org.eclipse.jetty.websocket.core.exception.MessageTooLargeException;
import org.jspecify.annotations.Nullable;

/// The WebSocket transport: a packet is a message. It starts a connection of its own, or it probes to take over one
/// that polls.
///
/// Jetty calls it one frame at a time, and the next frame only after it was asked for: a paused connection is not read.
final class WebSocket implements Transport, FrameHandler {
    private static final String PROBE = "probe";

    private final Engine engine;
    private final Handshake handshake;
    /// The connection to take over, if it is not to start one.
    private final @Nullable Connection polling;

    // Written when it opens, before Jetty delivers anything.
    private volatile @Nullable CoreSession session;
    private volatile @Nullable Connection connection;
    // Touched by the thread that delivers.
    private final ByteArrayOutputStream message = new ByteArrayOutputStream();
    private boolean binary;

    private volatile boolean probing;
    private volatile boolean closed;
    /// Cuts off a client that does not answer a close.
    private volatile Scheduler.@Nullable Task abort;

    WebSocket(Engine engine, Handshake handshake, @Nullable Connection polling) {
        this.engine = engine;
        this.handshake = handshake;
        this.polling = polling;
    }

    @Override
    public void onOpen(CoreSession session, Callback callback) {
        this.session = session;
        engine.webSocketOpened();
        callback.succeeded();
        if (polling == null) {
            connection = engine.open(handshake, this);
        } else if (polling.offer(this)) {
            connection = polling;
            probing = true;
        } else {
            end(EnginePacket.CLOSE, false);
        }
        session.demand();
    }

    @Override
    public void onFrame(org.eclipse.jetty.websocket.core.Frame frame, Callback callback) {
        switch (frame.getOpCode()) {
            case OpCode.TEXT, OpCode.BINARY -> {
                binary = frame.getOpCode() == OpCode.BINARY;
                data(frame, callback);
            }
            case OpCode.CONTINUATION -> data(frame, callback);
            case OpCode.PING -> {
                ByteBuffer echo = BufferUtil.copy(frame.getPayload());
                callback.succeeded();
                // The next frame is read after the answer is written: a flood of pings fills no queue.
                session().sendFrame(new org.eclipse.jetty.websocket.core.Frame(OpCode.PONG, echo),
                        Callback.from(this::demand), false);
            }
            case OpCode.PONG -> {
                callback.succeeded();
                demand();
            }
            default -> callback.succeeded(); // a close frame: Jetty answers it and tells onClosed
        }
    }

    private void data(org.eclipse.jetty.websocket.core.Frame frame, Callback callback) {
        Connection to = connection;
        int limit = to == null ? engine.settings().maxPayload() : to.maxPayload();
        if (message.size() + frame.getPayloadLength() > limit) {
            callback.failed(new MessageTooLargeException("a message has at most " + limit + " bytes"));
            return;
        }
        if (frame.hasPayload()) {
            message.writeBytes(BufferUtil.toArray(frame.getPayload()));
        }
        if (frame.isFin()) {
            byte[] whole = message.toByteArray();
            message.reset();
            try {
                deliver(whole);
            } catch (CharacterCodingException e) {
                callback.failed(new BadPayloadException("a text message is UTF-8", e));
                return;
            }
        }
        callback.succeeded();
        to = connection;
        if (to == null || probing || !to.postpone(this::demand)) {
            demand();
        }
    }

    private void demand() {
        session().demand();
    }

    private void deliver(byte[] whole) throws CharacterCodingException {
        Connection to = connection;
        if (to == null) {
            return;
        }
        String text = binary ? null : StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(whole)).toString();
        try {
            if (probing) {
                probe(to, text == null ? null : EnginePacket.parse(text));
            } else if (text == null) {
                to.receive(whole);
            } else {
                to.receive(EnginePacket.parse(text));
            }
        } catch (MalformedPacketException e) {
            Log.LOG.log(System.Logger.Level.DEBUG, "a malformed packet: {0}", e.getMessage());
            if (probing) {
                giveUp(to);
            } else {
                to.end(DisconnectReason.PARSE_ERROR);
            }
        }
    }

    /// "Upgrade" of the document: `2probe` is answered by `3probe`, then `5` makes this the transport.
    private void probe(Connection to, @Nullable EnginePacket packet) {
        if (packet != null && packet.type() == EnginePacket.Type.PING && packet.data().equals(PROBE)) {
            send(List.of(new EnginePacket(EnginePacket.Type.PONG, PROBE).frame()), Callback.NOOP);
            to.probe();
        } else if (packet != null && packet.type() == EnginePacket.Type.UPGRADE) {
            // Before the connection may deliver through this: from then on frames are its packets.
            probing = false;
            if (!to.upgrade(this)) {
                giveUp(to);
            }
        } else {
            giveUp(to);
        }
    }

    /// Not the way to take over a connection. The client goes on polling.
    private void giveUp(Connection to) {
        connection = null;
        to.withdraw(this);
        end(EnginePacket.CLOSE, false);
    }

    @Override
    public void onError(Throwable cause, Callback callback) {
        Log.LOG.log(System.Logger.Level.DEBUG, "a WebSocket failed", cause);
        callback.succeeded();
        gone(DisconnectReason.TRANSPORT_ERROR);
    }

    @Override
    public void onClosed(CloseStatus status, Callback callback) {
        engine.webSocketClosed();
        closed = true;
        cancelAbort();
        callback.succeeded();
        gone(DisconnectReason.TRANSPORT_CLOSE);
    }

    private void gone(DisconnectReason reason) {
        Connection to = connection;
        if (to != null) {
            to.lost(this, reason);
        }
    }

    @Override
    public boolean claim() {
        return true;
    }

    @Override
    public void send(List<Frame> frames, Callback callback) {
        CoreSession to = session();
        int last = frames.size() - 1;
        for (int i = 0; i <= last; i++) {
            Frame frame = frames.get(i);
            byte opCode = frame.binary() ? OpCode.BINARY : OpCode.TEXT;
            // All but the last are gathered into the write of the last.
            to.sendFrame(new org.eclipse.jetty.websocket.core.Frame(opCode, frame.bytes().duplicate()),
                    i == last ? callback : Callback.NOOP, i < last);
        }
    }

    @Override
    public void end(EnginePacket farewell, boolean atOnce) {
        CoreSession of = session;
        if (of == null || closed) {
            return;
        }
        if (atOnce) {
            of.abort();
            return;
        }
        abort = engine.schedule(engine.settings().pingTimeout(), of::abort);
        of.close(CloseStatus.NORMAL, null, Callback.NOOP);
        if (closed) {
            cancelAbort();
        }
    }

    private void cancelAbort() {
        Scheduler.Task task = abort;
        if (task != null) {
            task.cancel();
        }
    }

    private CoreSession session() {
        return Objects.requireNonNull(session);
    }
}
