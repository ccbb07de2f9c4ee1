package dev.belay.server.ws;

import dev.belay.ExitStatus;
import dev.belay.ReadResult.Gap;
import dev.belay.SessionException;
import dev.belay.SessionRecord;
import dev.belay.Signal;
import dev.belay.Size;
import dev.belay.server.Json;
import dev.belay.server.attach.Line;
import dev.belay.server.attach.Parting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.jspecify.annotations.Nullable;

/// A WebSocket as the line of a viewer: each message is one binary frame, and the next one waits until it is taken.
final class SocketLine implements Line {
    private final Session socket;
    private final Supplier<Duration> stall;
    private final String mode;

    SocketLine(Session socket, String mode, Supplier<Duration> stall) {
        this.socket = socket;
        this.mode = mode;
        this.stall = stall;
    }

    @Override
    public void attached(SessionRecord session, long from, @Nullable Size size)
            throws IOException, InterruptedException {
        byte[] json = Json.bytes(Json.putView(Json.object(), session, from, mode, size));
        send(message(Kind.ATTACHED, json.length).put(json));
    }

    @Override
    public void output(long offset, byte[] bytes) throws IOException, InterruptedException {
        send(message(Kind.OUTPUT, Long.BYTES + bytes.length).putLong(offset).put(bytes));
    }

    @Override
    public void gap(Gap gap) throws IOException, InterruptedException {
        byte[] reason = utf8(gap.reason().name().toLowerCase(Locale.ROOT));
        send(message(Kind.GAP, 2 * Long.BYTES + reason.length)
                .putLong(gap.offset())
                .putLong(gap.lostBytes())
                .put(reason));
    }

    @Override
    public void resized(Size size) throws IOException, InterruptedException {
        send(message(Kind.RESIZED, 2 * Short.BYTES).putShort((short) size.cols()).putShort((short) size.rows()));
    }

    @Override
    public void lease(@Nullable String holder) throws IOException, InterruptedException {
        byte[] name = utf8(holder == null ? "" : holder);
        send(message(Kind.HOLDER, name.length).put(name));
    }

    @Override
    public void exit(ExitStatus exit, long offset) throws IOException, InterruptedException {
        byte[] signal = utf8(exit.signal().map(Signal::name).orElse(""));
        send(message(Kind.EXIT, Long.BYTES + Integer.BYTES + signal.length)
                .putLong(offset)
                .putInt(exit.code())
                .put(signal));
    }

    @Override
    public void quiet() {
        socket.sendPing(ByteBuffer.allocate(0), Callback.NOOP);
    }

    @Override
    public void closed(Parting parting) {
        int code = switch (parting) {
            case DETACHED, CLOSED -> 1000;
            case SHUTDOWN -> 1001;
            case FAILED -> 1011;
            case REVOKED -> 4001;
            case SLOW -> 4008;
        };
        if (parting == Parting.SLOW) {
            // Nobody reads on the other side: a close frame would wait behind what is stuck.
            socket.disconnect();
        } else {
            socket.close(code, parting.label(), Callback.NOOP);
        }
    }

    /// Answers something that the client sent. Not the sender's: it may go out between two of its messages.
    void refused(SessionException refusal) {
        byte[] json = Json.bytes(Json.object().set("error", Json.of(refusal)));
        answer(message(Kind.ERROR, json.length).put(json));
    }

    void taken(String inputId, int taken) {
        byte[] id = utf8(inputId);
        answer(message(Kind.TAKEN, Integer.BYTES + id.length).putInt(taken).put(id));
    }

    private void answer(ByteBuffer message) {
        socket.sendBinary(message.flip(), Callback.from(() -> {}, _ -> socket.disconnect()));
    }

    private void send(ByteBuffer message) throws IOException, InterruptedException {
        Callback.Completable taken = new Callback.Completable();
        socket.sendBinary(message.flip(), taken);
        Line.await(taken, stall.get());
    }

    private static ByteBuffer message(Kind kind, int length) {
        return ByteBuffer.allocate(1 + length).put(kind.code);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
