package dev.belay.server.terminal;

import dev.belay.ErrorCode;
import dev.belay.ExitStatus;
import dev.belay.ReadResult.Gap;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionRecord;
import dev.belay.Signal;
import dev.belay.Size;
import dev.belay.server.Json;
import dev.belay.server.attach.Line;
import dev.belay.server.attach.Parting;
import dev.belay.socketio.Ack;
import dev.belay.socketio.Socket;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/// A Socket.IO client as the line of a viewer: each message is an event, and the next one waits until it is taken.
final class EventLine implements Line {
    private final Socket socket;
    private final Session session;
    private final String mode;
    private final Ack ack;
    /// One for all viewers of a client: they send in turns, so that a client that does not read holds back one event,
    /// not one for each session it views.
    private final Semaphore turn;
    private final Supplier<Duration> stall;
    private final Runnable onEnd;

    /// @param ack   answers the event that asked for this
    /// @param onEnd told when nothing more will be sent
    EventLine(
            Socket socket,
            Session session,
            String mode,
            Ack ack,
            Semaphore turn,
            Supplier<Duration> stall,
            Runnable onEnd) {
        this.socket = socket;
        this.session = session;
        this.mode = mode;
        this.ack = ack;
        this.turn = turn;
        this.stall = stall;
        this.onEnd = onEnd;
    }

    @Override
    public void attached(SessionRecord record, long from, @Nullable Size size)
            throws IOException, InterruptedException {
        ObjectNode answer = Json.putView(Replies.ok(), record, from, mode, size);
        send(() -> ack.reply(answer));
    }

    @Override
    public void output(long offset, byte[] bytes) throws IOException, InterruptedException {
        emit("output", event().put("offset", offset).put("data", bytes));
    }

    @Override
    public void gap(Gap gap) throws IOException, InterruptedException {
        emit("gap", event().put("lost", gap.lostBytes())
                .put("next", gap.next())
                .put("reason", gap.reason().name().toLowerCase(Locale.ROOT)));
    }

    @Override
    public void resized(Size size) throws IOException, InterruptedException {
        emit("resized", event().put("cols", size.cols()).put("rows", size.rows()));
    }

    @Override
    public void lease(@Nullable String holder) throws IOException, InterruptedException {
        emit("lease", event().put("holder", holder));
    }

    @Override
    public void exit(ExitStatus exit, long offset) throws IOException, InterruptedException {
        emit("exit", event().put("exit_code", exit.code())
                .put("signal", exit.signal().map(Signal::name).orElse(null))
                .put("offset", offset));
    }

    @Override
    public void closed(Parting parting) {
        ack.reply(Replies.refused(new SessionException(
                ErrorCode.UNAVAILABLE,
                "The view of session " + session.id() + " has ended: " + parting.label() + ".")));
        if (parting != Parting.DETACHED) {
            socket.emit("closed", event().put("reason", reason(parting)));
        }
        if (parting == Parting.REVOKED || parting == Parting.SLOW) {
            socket.close();
        }
        onEnd.run();
    }

    /// Why the session ended, or why the viewer and the session part.
    private String reason(Parting parting) {
        var end = parting == Parting.CLOSED ? session.snapshot().endReason() : null;
        return end == null ? parting.label() : end.label();
    }

    private ObjectNode event() {
        return Json.object().put("id", session.id());
    }

    private void emit(String event, ObjectNode what) throws IOException, InterruptedException {
        send(() -> socket.emit(event, what));
    }

    private void send(Supplier<CompletionStage<Void>> message) throws IOException, InterruptedException {
        Duration patience = stall.get();
        if (!turn.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            throw Line.takesNothing();
        }
        try {
            Line.await(message.get().toCompletableFuture(), patience);
        } finally {
            turn.release();
        }
    }
}
