package dev.belay.server.terminal;

import dev.belay.Approval;
import dev.belay.ErrorCode;
import dev.belay.Origin;
import dev.belay.Quoted;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Signal;
import dev.belay.Size;
import dev.belay.screen.Colours;
import dev.belay.server.attach.InputQueue;
import dev.belay.server.attach.ViewOptions;
import dev.belay.server.attach.Viewer;
import dev.belay.server.auth.Login;
import dev.belay.server.wire.AnswerFields;
import dev.belay.server.wire.ColourFields;
import dev.belay.server.wire.Json;
import dev.belay.server.wire.RequestFields;
import dev.belay.server.wire.SpecFields;
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
/// Events are handled one after the other. Those that may take long, creating and closing, are errands on threads of
/// their own, and input waits in an [dev.belay.server.attach.InputQueue] of its session: a program that does not
/// read holds up nobody else.
final class TerminalClient {
    private static final System.Logger LOG = System.getLogger("dev.belay.server");
    /// Beyond this many at once, the client's next events wait.
    private static final int MAX_ERRANDS = 8;

    private final TerminalDoor door;
    private final Socket socket;
    private final Login login;
    /// By the identity of the session.
    private final Map<String, Attachment> attachments = new ConcurrentHashMap<>();
    private final Outgoing outgoing;
    private final ClientWatches watching;
    private final Semaphore errands = new Semaphore(MAX_ERRANDS);

    TerminalClient(TerminalDoor door, Socket socket, Login login) {
        this.door = door;
        this.socket = socket;
        this.login = login;
        this.outgoing = new Outgoing(() -> door.settings.get().viewers().stall());
        this.watching = new ClientWatches(door, socket, login, outgoing);
    }

    /// What an event does.
    @FunctionalInterface
    private interface Operation {
        /// @return the answer; null: it is given later
        @Nullable ObjectNode run(RequestFields body, Ack ack) throws InterruptedException;
    }

    /// What makes an answer.
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
        socket.onPrompt("input", this::inputNow);
        on("ack", this::ack);
        on("resize", this::resize);
        on("colours", this::colours);
        on("signal", this::signal);
        on("lease", this::lease);
        on("answer", this::answerApproval);
        on("list", this::list);
        on("watch", watching::lists);
        on("screens", watching::screens);
        socket.onDisconnect(this::gone);
    }

    private void gone(DisconnectReason reason) {
        attachments.values().forEach(Attachment::close);
        watching.end();
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
            refuse(ack, new SessionException(ErrorCode.INTERNAL, "Internal error; see the server log."));
        }
    }

    private void refuse(Ack ack, SessionException refusal) {
        ack.reply(EventReplies.refused(refusal));
        if (refusal.code() == ErrorCode.UNAUTHENTICATED) {
            socket.close();
        }
    }

    private static RequestFields body(List<JsonNode> args) {
        JsonNode first = args.isEmpty() || args.getFirst().isNull() ? Json.object() : args.getFirst();
        if (first instanceof ObjectNode object && args.size() <= 1) {
            return new RequestFields(object);
        }
        throw invalid("An event takes one argument, an object.");
    }

    private static SessionException invalid(String message) {
        return new SessionException(ErrorCode.INVALID_REQUEST, message);
    }

    /// A session as a client names it.
    ///
    /// @param owner null: the client's own session with that id, or else the only one
    private record Address(String id, @Nullable String owner) {
        static Address of(RequestFields body) {
            String id = body.text("id").orElseThrow(() -> invalid("Name a session: id."));
            return new Address(id, body.text("owner").orElse(null));
        }
    }

    // --- attaching ---

    private @Nullable ObjectNode create(RequestFields body, Ack ack) throws InterruptedException {
        SessionSpec spec = SpecFields.spec(body).origin(Origin.TERMINAL);
        Session session;
        try {
            session = door.access.of(login).open(spec);
        } catch (SessionException e) {
            if (e.code() == ErrorCode.RATE_LIMITED || e.code() == ErrorCode.LIMIT_REACHED) {
                door.events.seldom("create_refused", login.name(), Map.of(
                        "principal", login.name(), "code", e.code().name(), "message", String.valueOf(e.getMessage())));
            }
            throw e;
        }
        try {
            attach(session, null, ViewOptions.of(OptionalLong.of(0), Viewer.Mode.WRITE), ack);
        } catch (SessionException e) {
            session.close(true); // nobody has got to know of it
            throw e;
        }
        return null;
    }

    private @Nullable ObjectNode attach(RequestFields body, Ack ack) throws InterruptedException {
        Address at = Address.of(body);
        OptionalLong from = number(body, "from");
        Viewer.Mode mode = Viewer.Mode.of(body.text("mode").orElse(null), door.access.of(login).mayDrive());
        ViewOptions options = ViewOptions.of(
                from,
                mode,
                body.flag("screen").orElse(false),
                body.number("history"),
                body.number("skip"),
                body.text("answers").orElse(null));
        body.requireNoMore();
        attach(door.viewers.require(login, at.id(), at.owner(), options), at.owner(), options, ack);
        return null;
    }

    /// Attaches, replacing what was attached before. The answer is the first message of the line.
    private void attach(
            Session session, @Nullable String owner, ViewOptions options, Ack ack)
            throws InterruptedException {
        String identity = session.identity();
        Attachment next = new Attachment(session, owner, door.maxInputBytes);
        Attachment before = attachments.put(identity, next);
        if (before != null) {
            before.close();
            before.awaitEnd();
        }
        Runnable onEnd = () -> {
            attachments.remove(identity, next);
            next.ended();
        };
        try {
            next.started(door.viewers.attach(login, session, options, new SocketIoViewer(
                    socket, session, owner, options.mode().label(), ack, outgoing, onEnd)));
        } catch (SessionException e) {
            onEnd.run();
            throw e;
        }
        if (!socket.connected()) {
            next.close(); // the client went while this was under way
        }
    }

    private ObjectNode detach(RequestFields body, Ack ack) throws InterruptedException {
        Address at = Address.of(body);
        body.requireNoMore();
        Attachment attachment = attachment(at);
        attachment.close();
        attachment.awaitEnd();
        return EventReplies.ok();
    }

    /// The attachment that the client means: named as it was when it was made, or else the only one with that id.
    private Attachment attachment(Address at) {
        List<Attachment> named = attachments.values().stream().filter(one -> one.isAt(at.id(), at.owner())).toList();
        if (named.isEmpty() && at.owner() == null) {
            named = attachments.values().stream().filter(one -> one.isOf(at.id())).toList();
        }
        if (named.size() > 1) {
            throw invalid("You are attached to several sessions " + Quoted.of(at.id()) + "; name the owner.");
        }
        return named.stream().findFirst().orElseThrow(() -> notAttached(at.id()));
    }

    private Viewer viewer(Address at) {
        return attachment(at).viewer().orElseThrow(() -> notAttached(at.id()));
    }

    private static SessionException notAttached(String id) {
        return invalid("You are not attached to session " + Quoted.of(id) + "; attach to it first.");
    }

    // --- through an attachment ---

    private @Nullable ObjectNode input(RequestFields body, Ack ack) throws InterruptedException {
        Input input = Input.of(body);
        Viewer viewer = viewer(input.at());
        attachment(input.at()).inputs().add(viewer, input.data(), input.id(), taken(ack));
        return null;
    }

    /// Most input is a key, and nothing waits before it.
    private boolean inputNow(List<JsonNode> args, Ack ack) {
        boolean[] begun = {true};
        answer(ack, () -> {
            Input input = Input.of(body(args));
            Attachment attachment = attachment(input.at());
            Viewer viewer = attachment.viewerNow();
            begun[0] = viewer != null && attachment.inputs().begin(viewer, input.data(), input.id(), taken(ack));
            return null;
        });
        return begun[0];
    }

    private InputQueue.Answer taken(Ack ack) {
        return step -> answer(ack, () -> {
            int taken = step.run();
            return taken < 0 ? null : EventReplies.ok().put("taken", taken);
        });
    }

    /// An input as a client sent it.
    @SuppressWarnings("ArrayRecordComponent")
    private record Input(Address at, byte[] data, @Nullable String id) {
        static Input of(RequestFields body) {
            Address at = Address.of(body);
            byte[] data = body.bytes("data").orElseThrow(() -> invalid("input needs data: text or binary."));
            String inputId = body.text("input_id").orElse(null);
            body.requireNoMore();
            return new Input(at, data, inputId);
        }
    }

    private ObjectNode ack(RequestFields body, Ack ack) {
        Address at = Address.of(body);
        long offset = body.number("offset").orElseThrow(
                () -> invalid("ack needs offset: the end of what you have processed."));
        body.requireNoMore();
        viewer(at).ack(offset);
        return EventReplies.ok();
    }

    private ObjectNode resize(RequestFields body, Ack ack) {
        Address at = Address.of(body);
        Size size = SpecFields.resize(body);
        body.requireNoMore();
        viewer(at).resize(size);
        return EventReplies.ok().put("cols", size.cols()).put("rows", size.rows());
    }

    private ObjectNode colours(RequestFields body, Ack ack) {
        Address at = Address.of(body);
        Colours colours = ColourFields.of(body);
        body.requireNoMore();
        viewer(at).colours(colours);
        return EventReplies.ok();
    }

    // --- without one ---

    private ObjectNode signal(RequestFields body, Ack ack) {
        Address at = Address.of(body);
        Signal signal = Signal.of(body.text("signal").orElseThrow(() -> invalid("Name a signal: SIGINT.")));
        body.requireNoMore();
        door.access.of(login).drive(at.id(), at.owner()).signal(signal);
        return EventReplies.ok().put("signal", signal.name());
    }

    private ObjectNode answerApproval(RequestFields body, Ack ack) {
        String id = AnswerFields.id(body);
        Approval.Answer answer = AnswerFields.read(body);
        body.requireNoMore();
        return EventReplies.ok().set("approval", Json.of(door.access.of(login).answer(id, answer)));
    }

    private ObjectNode lease(RequestFields body, Ack ack) {
        Address at = Address.of(body);
        String action = body.text("action").orElse("");
        boolean isPrivate = body.flag("private").orElse(false);
        body.requireNoMore();
        Session session = door.access.of(login).drive(at.id(), at.owner());
        door.viewers.leases().act(session, login, action, isPrivate, null);
        return EventReplies.ok().put("holder", session.keyboardHolder().orElse(null));
    }

    private ObjectNode close(RequestFields body, Ack ack) {
        Address at = Address.of(body);
        boolean force = body.flag("force").orElse(false);
        body.requireNoMore();
        return Json.put(EventReplies.ok(), door.access.of(login).drive(at.id(), at.owner()).close(force));
    }

    private ObjectNode list(RequestFields body, Ack ack) {
        body.requireNoMore();
        ArrayNode sessions = Json.array();
        door.feed.all(door.access.of(login)).sessions().forEach(one -> sessions.add(one.json()));
        return EventReplies.ok().set("sessions", sessions);
    }

    private static OptionalLong number(RequestFields body, String name) {
        return body.number(name).map(OptionalLong::of).orElse(OptionalLong.empty());
    }
}
