package dev.belay.server.ws;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.Size;
import dev.belay.server.attach.Viewer;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.api.StatusCode;
import org.jspecify.annotations.Nullable;

/// One WebSocket: what the client sends becomes calls of its viewer. Public because Jetty calls it.
///
/// The next message is asked for when the last one has been dealt with, so a client that sends faster than its session
/// reads waits in its own connection. A message that is refused is answered with an error and changes nothing.
public final class AttachSocket implements Session.Listener {
    private static final System.Logger LOG = System.getLogger("dev.belay.server");

    private final Function<SocketLine, Viewer> attach;
    private final String mode;
    private final Supplier<Duration> stall;
    private @Nullable Session socket;
    private @Nullable SocketLine line;
    private @Nullable Viewer viewer;

    AttachSocket(String mode, Supplier<Duration> stall, Function<SocketLine, Viewer> attach) {
        this.mode = mode;
        this.stall = stall;
        this.attach = attach;
    }

    @Override
    public void onWebSocketOpen(Session session) {
        socket = session;
        SocketLine made = new SocketLine(session, mode, stall);
        line = made;
        try {
            viewer = attach.apply(made);
            session.demand();
        } catch (SessionException e) {
            // It was fine a moment ago, before the upgrade.
            made.refused(e);
            session.close(StatusCode.POLICY_VIOLATION, e.code().name(), Callback.NOOP);
        }
    }

    @Override
    public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
        SocketLine out = line;
        Viewer in = viewer;
        Session from = socket;
        if (out == null || in == null || from == null) {
            callback.fail(new IllegalStateException("not open"));
            return;
        }
        byte[] message = new byte[payload.remaining()];
        payload.get(message);
        callback.succeed();
        try {
            heard(in, out, ByteBuffer.wrap(message));
        } catch (SessionException e) {
            out.refused(e);
        } catch (BufferUnderflowException | CharacterCodingException _) {
            out.refused(new SessionException(ErrorCode.INVALID_REQUEST, "The message is not complete, or not UTF-8."));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a message of a viewer failed", e);
            out.refused(new SessionException(ErrorCode.INTERNAL, "An error of Belay itself; its log says more."));
        }
        from.demand();
    }

    private static void heard(Viewer viewer, SocketLine line, ByteBuffer message)
            throws InterruptedException, CharacterCodingException {
        byte code = message.get();
        Kind kind = Kind.of(code).orElseThrow(() -> unknown(code));
        switch (kind) {
            case INPUT -> viewer.write(rest(message), null);
            case INPUT_ONCE -> {
                byte[] id = new byte[message.get() & 0xFF];
                message.get(id);
                String inputId = text(ByteBuffer.wrap(id));
                line.taken(inputId, viewer.write(rest(message), inputId));
            }
            case ACK -> viewer.ack(message.getLong());
            case RESIZE -> viewer.resize(new Size(message.getShort() & 0xFFFF, message.getShort() & 0xFFFF));
            case SIGNAL -> viewer.signal(dev.belay.Signal.of(text(message)));
            case LEASE -> {
                switch (message.get()) {
                    case 0 -> viewer.giveBackKeyboard();
                    case 1 -> viewer.takeKeyboard(false);
                    case 2 -> viewer.takeKeyboard(true);
                    default -> throw new SessionException(
                            ErrorCode.INVALID_REQUEST, "A lease is 0 (give back), 1 (take) or 2 (take privately).");
                }
            }
            case ATTACHED, OUTPUT, GAP, RESIZED, HOLDER, EXIT, ERROR, TAKEN -> throw unknown(code);
        }
    }

    private static SessionException unknown(byte code) {
        return new SessionException(
                ErrorCode.INVALID_REQUEST, "There is no message of kind " + (code & 0xFF) + " from a client.");
    }

    private static byte[] rest(ByteBuffer message) {
        byte[] rest = new byte[message.remaining()];
        message.get(rest);
        return rest;
    }

    private static String text(ByteBuffer bytes) throws CharacterCodingException {
        return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    }

    @Override
    public void onWebSocketText(String message) {
        Session from = socket;
        if (from != null) {
            from.close(StatusCode.BAD_DATA, "messages are binary", Callback.NOOP);
        }
    }

    @Override
    public void onWebSocketPing(ByteBuffer payload) {
        Session from = socket;
        if (from != null) {
            from.sendPong(payload, Callback.NOOP);
            from.demand();
        }
    }

    @Override
    public void onWebSocketPong(ByteBuffer payload) {
        Session from = socket;
        if (from != null) {
            from.demand();
        }
    }

    @Override
    public void onWebSocketError(Throwable cause) {
        detach();
    }

    @Override
    public void onWebSocketClose(int statusCode, @Nullable String reason, Callback callback) {
        detach();
        callback.succeed();
    }

    private void detach() {
        Viewer gone = viewer;
        if (gone != null) {
            gone.close();
        }
    }
}
