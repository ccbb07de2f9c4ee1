package dev.belay.server.terminal;

import dev.belay.Approval;
import dev.belay.ErrorCode;
import dev.belay.ExitStatus;
import dev.belay.ReadResult.Gap;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionRecord;
import dev.belay.Signal;
import dev.belay.Size;
import dev.belay.screens.Repaint;
import dev.belay.server.attach.DetachReason;
import dev.belay.server.attach.RepaintReason;
import dev.belay.server.attach.ViewerConnection;
import dev.belay.server.wire.Json;
import dev.belay.socketio.Ack;
import dev.belay.socketio.Socket;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/// A Socket.IO client as a viewer's connection: each message is an event, and the next one waits until it is taken.
final class SocketIoViewer implements ViewerConnection {
    private final Socket socket;
    private final Session session;
    private final @Nullable String owner;
    private final String mode;
    private final Ack ack;
    private final Outgoing outgoing;
    private final Runnable onEnd;

    /// @param owner as the client named them, to distinguish sessions with the same id; null: it did not
    /// @param ack   answers the event that asked for this
    /// @param onEnd called when nothing more will be sent
    SocketIoViewer(
            Socket socket,
            Session session,
            @Nullable String owner,
            String mode,
            Ack ack,
            Outgoing outgoing,
            Runnable onEnd) {
        this.socket = socket;
        this.session = session;
        this.owner = owner;
        this.mode = mode;
        this.ack = ack;
        this.outgoing = outgoing;
        this.onEnd = onEnd;
    }

    @Override
    public void attached(SessionRecord record, long from, @Nullable Size size)
            throws IOException, InterruptedException {
        ObjectNode answer = Json.putView(EventReplies.ok(), record, from, mode, size);
        outgoing.send(() -> ack.reply(answer));
    }

    @Override
    public void output(long offset, byte[] bytes) throws IOException, InterruptedException {
        emit("output", outputEvent(offset, bytes));
    }

    /// Not if another viewer of the client has its turn, or the message would wait for a poll or be encrypted.
    @Override
    public @Nullable Future<?> offer(long offset, byte[] bytes) {
        return socket.isDirect()
                ? outgoing.offer(() -> socket.emit("output", outputEvent(offset, bytes)))
                : null;
    }

    private ObjectNode outputEvent(long offset, byte[] bytes) {
        return event().put("offset", offset).put("data", bytes);
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
    public void screen(Repaint paint, RepaintReason why) throws IOException, InterruptedException {
        emit("screen", event().put("offset", paint.offset())
                .put("cols", paint.size().cols())
                .put("rows", paint.size().rows())
                .put("reason", why.label())
                .put("data", paint.bytes()));
    }

    @Override
    public void lease(@Nullable String holder, boolean isPrivate) throws IOException, InterruptedException {
        emit("lease", event().put("holder", holder).put("private", isPrivate));
    }

    @Override
    public void approval(Approval approval) throws IOException, InterruptedException {
        emit("approval", event().set("approval", Json.of(approval)));
    }

    @Override
    public void approvalClosed(Approval approval) throws IOException, InterruptedException {
        emit("approval_closed", Json.closed(event(), approval));
    }

    @Override
    public void exit(ExitStatus exit, long offset) throws IOException, InterruptedException {
        emit("exit", event().put("exit_code", exit.code())
                .put("signal", exit.signal().map(Signal::name).orElse(null))
                .put("offset", offset));
    }

    @Override
    public void closed(DetachReason why) {
        ack.reply(EventReplies.refused(new SessionException(
                ErrorCode.UNAVAILABLE,
                "The view of session " + session.id() + " has ended: " + why.label() + ".")));
        if (why != DetachReason.DETACHED) {
            socket.emit("closed", event().put("reason", reason(why)));
        }
        if (why == DetachReason.REVOKED || why == DetachReason.SLOW) {
            socket.close();
        }
        onEnd.run();
    }

    /// Why the session ended, or why the viewer and the session part.
    private String reason(DetachReason why) {
        var end = why == DetachReason.CLOSED ? session.snapshot().endReason() : null;
        return end == null ? why.label() : end.label();
    }

    private ObjectNode event() {
        ObjectNode event = Json.object().put("id", session.id());
        return owner == null ? event : event.put("owner", owner);
    }

    private void emit(String event, ObjectNode what) throws IOException, InterruptedException {
        outgoing.send(() -> socket.emit(event, what));
    }
}
