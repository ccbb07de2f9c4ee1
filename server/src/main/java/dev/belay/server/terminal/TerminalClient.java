package dev.belay.server.terminal;

import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Signal;
import dev.belay.Size;
import dev.belay.server.Json;
import dev.belay.server.attach.Absences;
import dev.belay.server.attach.Viewer;
import dev.belay.server.auth.Door;
import dev.belay.server.auth.Login;
import dev.belay.server.rest.Body;
import dev.belay.server.rest.SessionRoutes;
import dev.belay.socketio.Ack;
import dev.belay.socketio.DisconnectReason;
import dev.belay.socketio.Socket;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// One signed-in client: its events become calls of sessions and of its viewers, and are answered.
///
/// Events are handled one after the other. Those that may take their time, creating and closing, are errands on threads
/// of their own, and input waits in a [Lane] of its session: a program that does not read holds up nobody else.
final class TerminalClient {
    private static final System.Logger LOG = System.getLogger("dev.belay.server");
    /// Beyond so many at once the client's next events wait.
    private static final int MAX_ERRANDS = 8;

    private final TerminalDoor door;
    private final Socket socket;
    private final Login login;
    private final Map<String, Attachment> attachments = new ConcurrentHashMap<>();
    private final Semaphore sending = new Semaphore(1, true);
    private final Semaphore errands = new Semaphore(MAX_ERRANDS);

    TerminalClient(TerminalDoor door, Socket socket, Login login) {
        this.door = door;
        this.socket = socket;
        this.login = login;
    }

    /// What an event does.
    @FunctionalInterface
    private interface Operation {
        /// @return the answer; null: it is given later
        @Nullable ObjectNode run(Body body, Ack ack) throws InterruptedException;
    }

    /// What becomes an answer.
    @FunctionalInterface
    private interface Answer {
        @Nullable ObjectNode give() throws InterruptedException;
    }

    void start() {
        log("client_connected", Map.of());
        errand("create", this::create);
        errand("close", this::close);
        on("attach", this::attach);
        on("detach", this::detach);
        on("input", this::input);
        on("ack", this::ack);
        on("resize", this::resize);
        on("signal", this::signal);
        on("lease", this::lease);
        on("list", this::list);
        socket.onDisconnect(this::gone);
    }

    private void gone(DisconnectReason reason) {
        attachments.values().forEach(Attachment::close);
        log("client_disconnected", Map.of("reason", reason.toString()));
    }

    private void log(String event, Map<String, String> facts) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("client", socket.id());
        all.put("principal", login.name());
        all.putAll(facts);
        door.events.log(event, all);
    }

    // --- answering ---

    private void on(String event, Operation operation) {
        socket.on(event, (args, ack) -> answer(ack, () -> operation.run(body(args), ack)));
    }

    private void errand(String event, Operation operation) {
        socket.on(event, (args, ack) -> {
            errands.acquire();
            Thread.ofVirtual().name("belay-errand").start(() -> {
                try {
                    answer(ack, () -> operation.run(body(args), ack));
                } finally {
                    errands.release();
                }
            });
        });
    }

    /// The one place where refusals and mistakes become answers.
    private void answer(Ack ack, Answer answer) {
        try {
            ObjectNode given = answer.give();
            if (given != null) {
                ack.reply(given);
            }
        } catch (SessionException e) {
            refuse(ack, e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "an event of a client failed", e);
            refuse(ack, new SessionException(ErrorCode.INTERNAL, "An error of Belay itself; its log says more."));
        }
    }

    private void refuse(Ack ack, SessionException refusal) {
        ack.reply(Replies.refused(refusal));
        if (refusal.code() == ErrorCode.UNAUTHENTICATED) {
            socket.close();
        }
    }

    private static Body body(List<JsonNode> args) {
        JsonNode first = args.isEmpty() || args.getFirst().isNull() ? Json.object() : args.getFirst();
        if (first instanceof ObjectNode object && args.size() <= 1) {
            return new Body(object);
        }
        throw invalid("An event has one argument, which is an object.");
    }

    private static SessionException invalid(String message) {
        return new SessionException(ErrorCode.INVALID_REQUEST, message);
    }

    private static String id(Body body) {
        return body.text("id").orElseThrow(() -> invalid("Name a session: id."));
    }

    // --- attaching ---

    private @Nullable ObjectNode create(Body body, Ack ack) throws InterruptedException {
        boolean keep = body.flag("keep").orElse(false);
        SessionSpec spec = SessionRoutes.spec(body);
        Session session;
        try {
            session = door.access.open(login, Door.TERMINAL, keep ? Absences.kept(spec) : spec);
        } catch (SessionException e) {
            if (e.code() == ErrorCode.RATE_LIMITED || e.code() == ErrorCode.LIMIT_REACHED) {
                log("create_refused", Map.of("code", e.code().name(), "message", String.valueOf(e.getMessage())));
            }
            throw e;
        }
        try {
            attach(session, OptionalLong.of(0), Viewer.Mode.WRITE, ack);
        } catch (SessionException e) {
            session.close(true); // nobody has got to know of it
            throw e;
        }
        return null;
    }

    private @Nullable ObjectNode attach(Body body, Ack ack) throws InterruptedException {
        String id = id(body);
        OptionalLong from = body.number("from").map(OptionalLong::of).orElse(OptionalLong.empty());
        Viewer.Mode mode = Viewer.Mode.of(body.text("mode").orElse(null), door.access.mayDrive(login));
        body.requireNoMore();
        attach(door.access.see(login, id), from, mode, ack);
        return null;
    }

    /// Attaches, in place of what was attached before. The answer is the first message of the line.
    private void attach(Session session, OptionalLong from, Viewer.Mode mode, Ack ack) throws InterruptedException {
        String id = session.id();
        door.viewers.require(login, id, from, mode);
        Attachment next = new Attachment();
        Attachment before = attachments.put(id, next);
        if (before != null) {
            before.close();
            before.awaitEnd();
        }
        Runnable onEnd = () -> {
            attachments.remove(id, next);
            next.ended();
        };
        try {
            next.started(door.viewers.attach(login, id, from, mode, new EventLine(
                    socket, session, mode.label(), ack, sending, () -> door.settings.get().viewers().stall(), onEnd)));
        } catch (SessionException e) {
            onEnd.run();
            throw e;
        }
        if (!socket.connected()) {
            next.close(); // the client went while this was under way
        }
    }

    private ObjectNode detach(Body body, Ack ack) throws InterruptedException {
        String id = id(body);
        body.requireNoMore();
        Attachment attachment = attachment(id);
        attachment.close();
        attachment.awaitEnd();
        return Replies.ok();
    }

    private Attachment attachment(String id) {
        Attachment found = attachments.get(id);
        if (found == null) {
            throw notAttached(id);
        }
        return found;
    }

    private Viewer viewer(String id) {
        return attachment(id).viewer().orElseThrow(() -> notAttached(id));
    }

    private static SessionException notAttached(String id) {
        return invalid("You are not attached to session " + Quoted.of(id) + "; attach to it first.");
    }

    // --- through an attachment ---

    private @Nullable ObjectNode input(Body body, Ack ack) throws InterruptedException {
        String id = id(body);
        byte[] data = body.bytes("data").orElseThrow(() -> invalid("An input has data, a text or binary."));
        String inputId = body.text("input_id").orElse(null);
        body.requireNoMore();
        Viewer viewer = viewer(id);
        attachment(id)
                .inputs()
                .add(data.length, () -> answer(ack, () -> Replies.ok().put("taken", viewer.write(data, inputId))));
        return null;
    }

    private ObjectNode ack(Body body, Ack ack) {
        String id = id(body);
        long offset = body.number("offset").orElseThrow(() -> invalid("An ack has the offset up to which you got."));
        body.requireNoMore();
        viewer(id).ack(offset);
        return Replies.ok();
    }

    private ObjectNode resize(Body body, Ack ack) {
        String id = id(body);
        Size size = SessionRoutes.resize(body);
        body.requireNoMore();
        viewer(id).resize(size);
        return Replies.ok().put("cols", size.cols()).put("rows", size.rows());
    }

    // --- without one ---

    private ObjectNode signal(Body body, Ack ack) {
        String id = id(body);
        Signal signal = Signal.of(body.text("signal").orElseThrow(() -> invalid("Name a signal: SIGINT.")));
        body.requireNoMore();
        door.access.drive(login, id).signal(signal);
        return Replies.ok().put("signal", signal.name());
    }

    private ObjectNode lease(Body body, Ack ack) {
        String id = id(body);
        String action = body.text("action").orElse("");
        boolean isPrivate = body.flag("private").orElse(false);
        body.requireNoMore();
        Session session = door.access.drive(login, id);
        door.viewers.leases().act(session, login, action, isPrivate, null);
        return Replies.ok().put("holder", session.keyboardHolder().orElse(null));
    }

    private ObjectNode close(Body body, Ack ack) {
        String id = id(body);
        boolean force = body.flag("force").orElse(false);
        body.requireNoMore();
        return Json.put(Replies.ok(), door.access.drive(login, id).close(force));
    }

    private ObjectNode list(Body body, Ack ack) {
        body.requireNoMore();
        ArrayNode sessions = Json.array();
        door.access.list(login).forEach(session -> sessions.add(Json.of(session.snapshot())));
        return Replies.ok().set("sessions", sessions);
    }
}
