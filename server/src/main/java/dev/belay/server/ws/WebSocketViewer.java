package dev.belay.server.ws;

import dev.belay.Approval;
import dev.belay.ExitStatus;
import dev.belay.ReadResult.Gap;
import dev.belay.SessionException;
import dev.belay.SessionRecord;
import dev.belay.Signal;
import dev.belay.Size;
import dev.belay.screens.Repaint;
import dev.belay.server.attach.DetachReason;
import dev.belay.server.attach.RepaintReason;
import dev.belay.server.attach.ViewerConnection;
import dev.belay.server.wire.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.api.StatusCode;
import org.jspecify.annotations.Nullable;

/// A WebSocket as a viewer's connection: each message is one binary frame, and the next one waits until it is taken.
final class WebSocketViewer implements ViewerConnection {
    private final Session socket;
    private final Supplier<Duration> stall;
    private final String mode;

    WebSocketViewer(Session socket, String mode, Supplier<Duration> stall) {
        this.socket = socket;
        this.mode = mode;
        this.stall = stall;
    }

    @Override
    public void attached(SessionRecord session, long from, @Nullable Size size)
            throws IOException, InterruptedException {
        byte[] json = Json.bytes(Json.putView(Json.object(), session, from, mode, size));
        send(message(MessageKind.ATTACHED, json.length).put(json));
    }

    @Override
    public void output(long offset, byte[] bytes) throws IOException, InterruptedException {
        send(outputMessage(offset, bytes));
    }

    /// Jetty writes what the socket takes, and continues when it takes more. Encrypting is too much for the
    /// loop.
    @Override
    public @Nullable Future<?> offer(long offset, byte[] bytes) {
        if (socket.isSecure()) {
            return null;
        }
        Callback.Completable taken = new Callback.Completable();
        socket.sendBinary(outputMessage(offset, bytes).flip(), taken);
        return taken;
    }

    private static ByteBuffer outputMessage(long offset, byte[] bytes) {
        return message(MessageKind.OUTPUT, Long.BYTES + bytes.length).putLong(offset).put(bytes);
    }

    @Override
    public void gap(Gap gap) throws IOException, InterruptedException {
        byte[] reason = utf8(gap.reason().name().toLowerCase(Locale.ROOT));
        send(message(MessageKind.GAP, 2 * Long.BYTES + reason.length)
                .putLong(gap.offset())
                .putLong(gap.lostBytes())
                .put(reason));
    }

    @Override
    public void resized(Size size) throws IOException, InterruptedException {
        send(message(MessageKind.RESIZED, 2 * Short.BYTES).putShort((short) size.cols()).putShort((short) size.rows()));
    }

    @Override
    public void screen(Repaint paint, RepaintReason why) throws IOException, InterruptedException {
        send(message(MessageKind.SCREEN, Long.BYTES + 2 * Short.BYTES + 1 + paint.bytes().length)
                .putLong(paint.offset())
                .putShort((short) paint.size().cols())
                .putShort((short) paint.size().rows())
                .put((byte) why.flag())
                .put(paint.bytes()));
    }

    @Override
    public void lease(@Nullable String holder, boolean isPrivate) throws IOException, InterruptedException {
        byte[] name = utf8(holder == null ? "" : holder);
        send(message(MessageKind.HOLDER, 1 + name.length).put((byte) (isPrivate ? 1 : 0)).put(name));
    }

    @Override
    public void approval(Approval approval) throws IOException, InterruptedException {
        byte[] json = Json.bytes(Json.of(approval));
        send(message(MessageKind.APPROVAL, json.length).put(json));
    }

    @Override
    public void approvalClosed(Approval approval) throws IOException, InterruptedException {
        byte[] json = Json.bytes(Json.closed(Json.object(), approval));
        send(message(MessageKind.APPROVAL_CLOSED, json.length).put(json));
    }

    @Override
    public void exit(ExitStatus exit, long offset) throws IOException, InterruptedException {
        byte[] signal = utf8(exit.signal().map(Signal::name).orElse(""));
        send(message(MessageKind.EXIT, Long.BYTES + Integer.BYTES + signal.length)
                .putLong(offset)
                .putInt(exit.code())
                .put(signal));
    }

    @Override
    public void quiet() {
        socket.sendPing(ByteBuffer.allocate(0), Callback.NOOP);
    }

    @Override
    public void closed(DetachReason why) {
        int code = switch (why) {
            case DETACHED, CLOSED -> 1000;
            case SHUTDOWN -> 1001;
            case FAILED -> 1011;
            case REVOKED -> 4001;
            case SLOW -> 4008;
        };
        if (why == DetachReason.SLOW) {
            // Nobody reads on the other side: a close frame would wait behind what is stuck.
            socket.disconnect();
        } else {
            socket.close(code, why.label(), Callback.NOOP);
        }
    }

    /// Answers something that the client sent. Not sent by the sender: it may go out between two of its messages.
    void refused(SessionException refusal) {
        byte[] json = Json.bytes(Json.object().set("error", Json.of(refusal)));
        answer(message(MessageKind.ERROR, json.length).put(json));
    }

    /// As [#refused], and ends the connection.
    void refusedForGood(SessionException refusal) {
        refused(refusal);
        socket.close(StatusCode.POLICY_VIOLATION, refusal.code().name(), Callback.NOOP);
    }

    void taken(String inputId, int taken) {
        byte[] id = utf8(inputId);
        answer(message(MessageKind.TAKEN, Integer.BYTES + id.length).putInt(taken).put(id));
    }

    /// An input without an id was not taken completely.
    ///
    /// @param number counts the inputs without an id, from 1
    void cut(int number, int taken, int sent) {
        answer(message(MessageKind.CUT, 3 * Integer.BYTES).putInt(number).putInt(taken).putInt(sent));
    }

    private void answer(ByteBuffer message) {
        socket.sendBinary(message.flip(), Callback.from(() -> {}, _ -> socket.disconnect()));
    }

    private void send(ByteBuffer message) throws IOException, InterruptedException {
        Callback.Completable taken = new Callback.Completable();
        socket.sendBinary(message.flip(), taken);
        ViewerConnection.await(taken, stall.get());
    }

    private static ByteBuffer message(MessageKind kind, int length) {
        return ByteBuffer.allocate(1 + length).put(kind.code);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
