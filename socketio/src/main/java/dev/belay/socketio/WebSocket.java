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

/// The WebSocket transport: one message per packet. It starts its own connection, or probes and takes over one that
/// polls.
///
/// Jetty delivers one frame at a time and the next one only on demand, so a paused connection is not read.
final class WebSocket implements Transport, FrameHandler {
    private static final String PROBE = "probe";
    /// A longer message is not parsed by the thread that reads from all connections.
    private static final int PROMPT_BYTES = 16 << 10;

    private final Engine engine;
    private final Handshake handshake;
    /// The connection to take over; null to start one.
    private final @Nullable Connection polling;
    private final Runnable recognised;

    // Set when it opens, before Jetty delivers anything.
    private volatile @Nullable CoreSession session;
    private volatile @Nullable Connection connection;
    // Used only by the thread that delivers.
    private final ByteArrayOutputStream message = new ByteArrayOutputStream();
    private boolean binary;

    private volatile boolean probing;
    private volatile boolean closed;
    /// Aborts if the client does not answer a close.
    private volatile Scheduler.@Nullable Task abort;

    WebSocket(Engine engine, Handshake handshake, @Nullable Connection polling, Runnable recognised) {
        this.engine = engine;
        this.handshake = handshake;
        this.polling = polling;
        this.recognised = recognised;
    }

    @Override
    public void onOpen(CoreSession session, Callback callback) {
        this.session = session;
        engine.webSocketOpened();
        callback.succeeded();
        if (polling == null) {
            connection = engine.open(handshake, this, recognised);
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
                // Read on only after the answer is written, so that a flood of pings fills no queue.
                session().sendFrame(new org.eclipse.jetty.websocket.core.Frame(OpCode.PONG, echo),
                        Callback.from(this::demand), false);
            }
            case OpCode.PONG -> {
                callback.succeeded();
                demand();
            }
            default -> callback.succeeded(); // a close frame: Jetty answers it and calls onClosed
        }
    }

    private void data(org.eclipse.jetty.websocket.core.Frame frame, Callback callback) {
        Connection to = connection;
        int limit = to == null ? engine.settings().maxPayload() : to.maxPayload();
        if (message.size() + frame.getPayloadLength() > limit) {
            callback.failed(new MessageTooLargeException("message exceeds " + limit + " bytes"));
            return;
        }
        if (frame.hasPayload()) {
            message.writeBytes(BufferUtil.toArray(frame.getPayload()));
        }
        if (!frame.isFin()) {
            callback.succeeded();
            demandUnlessPaused();
            return;
        }
        byte[] whole = message.toByteArray();
        message.reset();
        if (whole.length > PROMPT_BYTES) {
            Thread.ofVirtual().name("belay-packet").start(() -> finish(whole, callback));
        } else {
            finish(whole, callback);
        }
    }

    private void finish(byte[] whole, Callback callback) {
        try {
            deliver(whole);
        } catch (CharacterCodingException e) {
            callback.failed(new BadPayloadException("text message is not UTF-8", e));
            return;
        } catch (RuntimeException e) {
            // On a virtual thread Jetty would not hear of it.
            callback.failed(e);
            return;
        }
        callback.succeeded();
        demandUnlessPaused();
    }

    private void demandUnlessPaused() {
        Connection to = connection;
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
            Log.LOG.log(System.Logger.Level.DEBUG, "malformed packet: {0}", e.getMessage());
            if (probing) {
                giveUp(to);
            } else {
                to.end(DisconnectReason.PARSE_ERROR);
            }
        }
    }

    /// "Upgrade" in the protocol document: `2probe` is answered with `3probe`, then `5` makes this the transport.
    private void probe(Connection to, @Nullable EnginePacket packet) {
        if (packet != null && packet.type() == EnginePacket.Type.PING && packet.data().equals(PROBE)) {
            send(List.of(new EnginePacket(EnginePacket.Type.PONG, PROBE).frame()), Callback.NOOP);
            to.probe();
        } else if (packet != null && packet.type() == EnginePacket.Type.UPGRADE) {
            // Before the upgrade: from then on, frames are packets of the connection.
            probing = false;
            if (!to.upgrade(this)) {
                giveUp(to);
            }
        } else {
            giveUp(to);
        }
    }

    /// Ends a failed probe. The client keeps polling.
    private void giveUp(Connection to) {
        connection = null;
        to.withdraw(this);
        end(EnginePacket.CLOSE, false);
    }

    @Override
    public void onError(Throwable cause, Callback callback) {
        Log.LOG.log(System.Logger.Level.DEBUG, "WebSocket failed", cause);
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
            // Jetty batches all frames up to the last into one write.
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

    /// Whether it is open and not encrypted.
    boolean isPlain() {
        CoreSession of = session;
        return of != null && !of.isSecure();
    }

    private CoreSession session() {
        return Objects.requireNonNull(session);
    }
}
