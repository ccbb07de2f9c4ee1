package dev.belay.server.ws;

import dev.belay.Approval;
import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.Size;
import dev.belay.server.attach.InputQueue;
import dev.belay.server.attach.Viewer;
import dev.belay.server.wire.AnswerFields;
import dev.belay.server.wire.ColourFields;
import dev.belay.server.wire.Json;
import dev.belay.server.wire.RequestFields;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Supplier;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.api.StatusCode;
import org.jspecify.annotations.Nullable;

/// One WebSocket: what the client sends becomes calls of its viewer. Public because Jetty calls it.
///
/// Messages come on the thread that reads from all connections. It writes a key to the terminal itself; whatever may
/// take long is left to a virtual thread. Input waits in a queue until the session has taken it, so that signals,
/// pings and the like pass it. The next message is asked for when the last one has been handled or is in the
/// queue: a client that sends faster than its session reads waits in its own connection once the queue is full. A
/// message that is refused is answered with an error and changes nothing.
///
/// A connection is attached to its session at once, or the client opens one with its first message.
public final class AttachSocket implements Session.Listener {
    private static final System.Logger LOG = System.getLogger("dev.belay.server");

    private static final int ANSWER_DEPTH = 4;
    private static final int ANSWER_BYTES = 4 << 10;

    private final Beginning beginning;
    private final String mode;
    private final Supplier<Duration> stall;
    private final InputQueue inputs;
    /// Inputs without an id so far. Owned by the thread that receives messages.
    private int plainInputs;
    private @Nullable Session socket;
    private @Nullable WebSocketViewer line;
    private volatile @Nullable Viewer viewer;
    private volatile boolean gone;

    /// @param roomForInput how many bytes of input may wait
    AttachSocket(String mode, int roomForInput, Supplier<Duration> stall, Beginning beginning) {
        this.inputs = new InputQueue(roomForInput);
        this.mode = mode;
        this.stall = stall;
        this.beginning = beginning;
    }

    @Override
    public void onWebSocketOpen(Session session) {
        socket = session;
        WebSocketViewer made = new WebSocketViewer(session, mode, stall);
        line = made;
        try {
            viewer = beginning.connected(made);
            session.demand();
        } catch (SessionException e) {
            // It was fine a moment ago, before the upgrade.
            made.refusedForGood(e);
        }
    }

    @Override
    public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
        WebSocketViewer out = line;
        Viewer in = viewer;
        Session from = socket;
        if (out == null || from == null) {
            callback.fail(new IllegalStateException("not open"));
            return;
        }
        byte[] message = new byte[payload.remaining()];
        payload.get(message);
        callback.succeed();
        if (in != null && heardAtOnce(in, out, ByteBuffer.wrap(message))) {
            from.demand();
            return;
        }
        Thread.ofVirtual().name("belay-message").start(() -> {
            answered(out, () -> {
                if (in == null) {
                    heardFirst(out, ByteBuffer.wrap(message));
                } else {
                    heard(in, out, ByteBuffer.wrap(message));
                }
            });
            if (!gone) {
                from.demand();
            }
        });
    }

    /// There is no viewer yet. What the client sends behind this message waits in the connection, and keeps its order.
    private void heardFirst(WebSocketViewer line, ByteBuffer message) throws InterruptedException {
        if (message.hasRemaining() && message.get(0) == MessageKind.INPUT.code) {
            plainInputs++;
        }
        Viewer made = beginning.heard(message, line);
        viewer = made;
        if (gone && made != null) {
            made.close(); // the client went while this was under way
        }
    }

    /// Does what does not wait: an acknowledgement, or a key that nothing waits before.
    ///
    /// @return false if nothing was done
    private boolean heardAtOnce(Viewer viewer, WebSocketViewer line, ByteBuffer message) {
        boolean[] done = {true};
        answered(line, () -> {
            MessageKind kind = message.hasRemaining() ? MessageKind.of(message.get()).orElse(null) : null;
            done[0] = switch (kind) {
                case ACK -> {
                    viewer.ack(message.getLong());
                    yield true;
                }
                case INPUT -> {
                    TypedInput input = plain(message);
                    yield inputs.begin(viewer, input.bytes(), null, input.answer(line)) && counted(input);
                }
                case INPUT_ONCE -> {
                    TypedInput input = once(message);
                    yield inputs.begin(viewer, input.bytes(), input.id(), input.answer(line));
                }
                case null, default -> false;
            };
        });
        return done[0];
    }

    private interface Step {
        void run() throws InterruptedException, CharacterCodingException;
    }

    /// The one place where refusals and mistakes become answers.
    private static void answered(WebSocketViewer out, Step step) {
        try {
            step.run();
        } catch (SessionException e) {
            out.refused(e);
        } catch (BufferUnderflowException | CharacterCodingException _) {
            out.refused(new SessionException(ErrorCode.INVALID_REQUEST, "The message is not complete, or not UTF-8."));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a message of a viewer failed", e);
            out.refused(new SessionException(ErrorCode.INTERNAL, "Internal error; see the server log."));
        }
    }

    private void heard(Viewer viewer, WebSocketViewer line, ByteBuffer message)
            throws InterruptedException, CharacterCodingException {
        byte code = message.get();
        MessageKind kind = MessageKind.of(code).orElseThrow(() -> unknown(code));
        switch (kind) {
            case INPUT -> {
                TypedInput input = plain(message);
                counted(input);
                inputs.add(viewer, input.bytes(), null, input.answer(line));
            }
            case INPUT_ONCE -> {
                TypedInput input = once(message);
                inputs.add(viewer, input.bytes(), input.id(), input.answer(line));
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
            case COLOURS -> viewer.colours(ColourFields.of(rest(message)));
            case ANSWER -> {
                RequestFields body = new RequestFields(
                        Json.object(Json.reader(ANSWER_DEPTH, ANSWER_BYTES), rest(message)));
                String id = AnswerFields.id(body);
                Approval.Answer answer = AnswerFields.read(body);
                body.requireNoMore();
                viewer.answer(id, answer);
            }
            case OPEN -> throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    "This connection has session " + viewer.session().id()
                            + "; use another connection for another one.");
            case ATTACHED, OUTPUT, GAP, RESIZED, HOLDER, EXIT, ERROR, TAKEN, SCREEN, CUT, APPROVAL, APPROVAL_CLOSED ->
                throw unknown(code);
        }
    }

    /// An input as a client sent it.
    ///
    /// @param number counts the inputs without an id, from 1
    @SuppressWarnings("ArrayRecordComponent")
    private record TypedInput(byte[] bytes, @Nullable String id, int number) {
        /// With an id, the answer says how much was taken. Without one, there is an answer only if not all was taken.
        InputQueue.Answer answer(WebSocketViewer line) {
            return step -> answered(line, () -> {
                int taken = step.run();
                if (taken >= 0 && id != null) {
                    line.taken(id, taken);
                } else if (taken >= 0 && taken < bytes.length) {
                    line.cut(number, taken, bytes.length);
                }
            });
        }
    }

    private TypedInput plain(ByteBuffer message) {
        return new TypedInput(rest(message), null, plainInputs + 1);
    }

    /// It is on its way.
    private boolean counted(TypedInput input) {
        plainInputs = input.number();
        return true;
    }

    private static TypedInput once(ByteBuffer message) throws CharacterCodingException {
        byte[] id = new byte[message.get() & 0xFF];
        message.get(id);
        String inputId = text(ByteBuffer.wrap(id));
        return new TypedInput(rest(message), inputId, 0);
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
        gone = true;
        beginning.gone();
        Viewer left = viewer;
        if (left != null) {
            left.close();
        }
    }
}
