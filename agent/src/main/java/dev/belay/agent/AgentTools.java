package dev.belay.agent;

import dev.belay.Actor;
import dev.belay.Closed;
import dev.belay.Cursor;
import dev.belay.Deadline;
import dev.belay.EndReason;
import dev.belay.ErrorCode;
import dev.belay.InputState;
import dev.belay.Mode;
import dev.belay.OutputLog;
import dev.belay.Quoted;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionRecord;
import dev.belay.SessionSpec;
import dev.belay.SessionState;
import dev.belay.Sessions;
import dev.belay.Size;
import dev.belay.Until;
import dev.belay.Waited;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The tools that an agent drives sessions with: start a command, type into it, read what it says, know when it is done.
///
/// No protocol is known here: a request comes in as a record, and the answer is a record, also where the tool failed.
/// Every method may be called from any thread. Calls on one session follow each other; an interrupt ends a call's wait
/// with an [InterruptedException] and does nothing to the session, and no output is lost by it.
public final class AgentTools {
    /// The label that says which development tool a session runs.
    public static final String TOOL_LABEL = "tool";

    /// A program that prints a prompt and then reads does both within this time, unless the machine is busy.
    private static final Duration REST = Duration.ofMillis(20);

    private final Sessions sessions;
    private final Opener opener;
    private final Supplier<AgentSettings> settings;
    private final Actor actor;
    private final Turns turns = new Turns();
    /// A turn: nobody opens a session between another's look at how many there are and its open.
    private final ReentrantLock opening = new ReentrantLock(true);

    /// Opens sessions.
    @FunctionalInterface
    public interface Opener {
        Session open(SessionSpec spec) throws InterruptedException;
    }

    /// Tools of an agent called `agent`.
    public AgentTools(Sessions sessions, AgentSettings settings) {
        this(sessions, sessions::open, () -> settings, new Actor("agent"));
    }

    /// @param opener   opens sessions, for instance against a quota of the actor's
    /// @param settings asked for by every call: they may change
    /// @param actor    owns what is opened, and sees and touches only what it owns, unless it is an admin
    public AgentTools(Sessions sessions, Opener opener, Supplier<AgentSettings> settings, Actor actor) {
        this.sessions = sessions;
        this.opener = opener;
        this.settings = settings;
        this.actor = actor;
    }

    /// How many sessions calls are under way on.
    int callsUnderWay() {
        return turns.size();
    }

    // --- unified_exec ---

    /// Short, since a model has to repeat it, and random enough (50 bits) never to meet one that is there.
    private static String newId() {
        return Long.toString(ThreadLocalRandom.current().nextLong(1L << 50, 1L << 51), Character.MAX_RADIX);
    }

    /// Starts a command and waits for its exit, or for what the request names, or until the time is up.
    public ExecResult unifiedExec(ExecRequest request) throws InterruptedException {
        long began = System.nanoTime();
        String id = request.sessionId() == null ? newId() : request.sessionId();
        Session session = null;
        try {
            if (request.cmd().isBlank()) {
                throw SessionException.invalid("cmd is empty; give the command to run, for instance 'ls -l'.");
            }
            Until until = request.waitFor() == null ? null : request.waitFor().until();
            CommandText command = CommandText.parse(request.cmd());
            AgentSettings now = settings.get();
            requireAllowed(command, request, now);
            Optional<String> tool = Toolchain.of(command);
            Duration usual = tool.isPresent() ? now.toolchainYield() : now.yield();
            Patience patience = Patience.of(request.yieldTimeMs(), until != null, usual, now.maxCall());
            SessionSpec spec = spec(request, id, tool, now);
            try (var _ = turns.take(id)) {
                session = open(spec, tool, now, patience.deadline());
                Waited.Fired fired = until == null
                        ? awaitAnswer(session, patience)
                        : session.drainer().await(until, patience.left()).fired();
                return answer(session, request.maxOutputTokens(), request.stripAnsi(), fired, patience, began);
            }
        } catch (SessionException e) {
            return ExecResult.failed(session == null ? null : id, millisSince(began), ToolError.of(e));
        }
    }

    private static void requireAllowed(CommandText command, ExecRequest request, AgentSettings now) {
        String workdir = request.workdir() == null ? "." : request.workdir();
        Policy.Decision decision = now.policy().decide(command, workdir);
        if (!decision.allowed()) {
            String rule = String.valueOf(decision.rule());
            throw new SessionException(
                    ErrorCode.DENIED,
                    "The command was not started: rule " + Quoted.of(rule) + " denies it. Do it in another way, or ask"
                            + " the person you work for.",
                    Map.of("rule", rule));
        }
    }

    private SessionSpec spec(ExecRequest request, String id, Optional<String> tool, AgentSettings now) {
        String shell = request.shell() == null ? now.shell() : request.shell();
        Duration idle = request.idleTimeoutMs() == null
                ? now.idleTimeout()
                : Duration.ofMillis(request.idleTimeoutMs());
        SessionSpec spec = SessionSpec.of(Shells.command(shell, request.login(), request.cmd()))
                .id(id)
                .workdir(request.workdir() == null ? "." : request.workdir())
                .env(now.env())
                .env(request.env())
                .mode(request.tty() ? new Mode.Pty(new Size(request.cols(), request.rows())) : new Mode.Pipe())
                .owner(actor.name())
                .timeout(request.timeoutMs() == null ? null : Duration.ofMillis(request.timeoutMs()))
                .idleTimeout(idle.isZero() ? null : idle);
        return tool.map(name -> spec.label(TOOL_LABEL, name)).orElse(spec);
    }

    private Session open(SessionSpec spec, Optional<String> tool, AgentSettings now, Deadline deadline)
            throws InterruptedException {
        boolean builds = now.oneBuildAtATime() && tool.filter(Toolchain::builds).isPresent();
        while (true) {
            Session other;
            opening.lockInterruptibly();
            try {
                Optional<Session> build = builds ? buildIn(folder(spec)) : Optional.empty();
                if (build.isEmpty()) {
                    return openWithinLimit(spec, now.maxSessions());
                }
                other = build.get();
            } finally {
                opening.unlock();
            }
            if (other.awaitExit(Duration.ofNanos(Math.max(0, deadline.remainingNanos()))).isEmpty()) {
                throw new SessionException(
                        ErrorCode.LIMIT_REACHED,
                        "The command was not started: session " + other.id() + " still builds in this folder, and"
                                + " two builds would be in each other's way. Wait for it with write_stdin and"
                                + " wait_for {\"exit\":true}, then try again.",
                        Map.of("session_id", other.id()));
            }
        }
    }

    private Optional<Session> buildIn(Path folder) {
        return own().filter(session -> session.exit().isEmpty()
                && folder(session.spec()).equals(folder)
                && Toolchain.builds(session.spec().labels().getOrDefault(TOOL_LABEL, "")))
                .findFirst();
    }

    private Path folder(SessionSpec spec) {
        return sessions.workspace().resolve(spec.workdir()).normalize();
    }

    private Session openWithinLimit(SessionSpec spec, int most) throws InterruptedException {
        try {
            long open = own().filter(session -> session.spec().owner().equals(actor.name()) && !session.drained())
                    .count();
            if (open >= most) {
                throw new SessionException(
                        ErrorCode.LIMIT_REACHED,
                        "Maximum PTY sessions reached (" + open + " of " + most
                                + "): close a session you no longer need, or wait until one has exited, then try"
                                + " again.");
            }
            return opener.open(spec).as(actor);
        } catch (SessionException e) {
            throw e.code() == ErrorCode.LIMIT_REACHED ? full(e) : e;
        }
    }

    private SessionException full(SessionException refused) {
        List<SessionRecord> running = own().map(Session::snapshot)
                .filter(record -> record.state() == SessionState.RUNNING || record.survivors() > 0)
                .sorted(Comparator.comparing(SessionRecord::startedAt))
                .toList();
        String list = running.stream().map(AgentTools::line).collect(Collectors.joining("; "));
        return new SessionException(
                refused.code(),
                refused.getMessage() + " Running, oldest first: " + list
                        + ". Close one that is not needed with close_pty_session.",
                Map.of("sessions", running.stream().map(SessionRecord::id).collect(Collectors.joining(","))));
    }

    private static String line(SessionRecord record) {
        String text = record.args().isEmpty() ? record.command() : record.args().getLast();
        int most = 60;
        boolean fits = text.codePointCount(0, text.length()) <= most;
        return record.id() + " ("
                + Quoted.of(fits ? text : text.substring(0, text.offsetByCodePoints(0, most)) + "...") + ")";
    }

    // --- write_stdin ---

    /// Sends input to a session, if there is any, and waits for an answer, or for what the request names.
    public ExecResult writeStdin(WriteRequest request) throws InterruptedException {
        long began = System.nanoTime();
        try {
            Until until = request.waitFor() == null ? null : request.waitFor().until();
            AgentSettings now = settings.get();
            Patience patience = Patience.of(request.yieldTimeMs(), until != null, now.yield(), now.maxCall());
            try (var _ = turns.take(request.sessionId())) {
                Session session = find(request.sessionId());
                OutputLog log = session.output();
                long before = log.end();
                ToolError refused = request.isPoll() ? null : type(session, request);
                Waited.Fired fired;
                if (refused != null) {
                    fired = session.exit().isPresent() ? Waited.Fired.EXIT : Waited.Fired.TIMEOUT;
                } else if (until == null) {
                    fired = awaitAnswer(session, patience);
                } else {
                    // What was printed before the input is no answer to it.
                    Cursor from = request.isPoll() ? session.drainer() : session.cursor(before);
                    fired = from.await(until, patience.left()).fired();
                }
                ExecResult answer =
                        answer(session, request.maxOutputTokens(), request.stripAnsi(), fired, patience, began);
                return refused == null ? answer : answer.failed(refused);
            }
        } catch (SessionException e) {
            return ExecResult.failed(request.sessionId(), millisSince(began), ToolError.of(e));
        }
    }

    /// @return why the session did not take the input, if it did not
    private @Nullable ToolError type(Session session, WriteRequest request) throws InterruptedException {
        try {
            boolean pipes = session.spec().mode() instanceof Mode.Pipe;
            if (pipes && session.exit().isEmpty() && specialOnPipes(session, request)) {
                return null;
            }
            boolean application = Keys.anyCursorKey(request.keys()) && CursorKeys.application(session.output());
            boolean paste = request.paste() && !pipes && !request.chars().isEmpty();
            String text = (paste ? Keys.pasted(request.chars()) : request.chars())
                    + Keys.sequence(request.keys(), application);
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            Duration most = settings.get().maxCall();
            Duration usual = sessions.limits().writeTimeout();
            int taken = session.write(bytes, usual.compareTo(most) < 0 ? usual : most);
            if (taken == bytes.length) {
                return null;
            }
            return new ToolError(
                    ErrorCode.TIMEOUT,
                    "The command took only " + taken + " of " + bytes.length + " bytes: it does not read. Send the"
                            + " rest when it reads again, or stop it with keys [\"ctrl-c\"].",
                    Map.of("taken", String.valueOf(taken)));
        } catch (SessionException e) {
            boolean gone = e.code() == ErrorCode.NOT_WRITABLE || e.code() == ErrorCode.NOT_FOUND;
            return gone && session.exit().isPresent()
                    ? new ToolError(ErrorCode.NOT_WRITABLE, ended(session.snapshot()), e.details())
                    : ToolError.of(e);
        }
    }

    /// Pipes have no terminal that would make a signal of Ctrl-C and the end of the input of Ctrl-D.
    private static boolean specialOnPipes(Session session, WriteRequest request) throws InterruptedException {
        String typed = request.chars() + Keys.sequence(request.keys(), false);
        if (typed.equals("\u0003")) {
            session.interrupt();
            return true;
        }
        if (typed.equals("\u0004")) {
            session.closeInput();
            return true;
        }
        return false;
    }

    // --- the answer ---

    /// Waits for the exit, or until the command waits for input and prints nothing more: then nothing will happen
    /// before somebody types. That a program begins to read is no event, so it is looked at when it falls silent, and
    /// at growing distances until it prints again.
    private static Waited.Fired awaitAnswer(Session session, Patience patience) throws InterruptedException {
        Duration quiet = REST;
        while (true) {
            long end = session.output().end();
            Until until = Until.exited().orIdle(quiet);
            Waited.Fired fired = session.cursor(end)
                    .await(quiet.equals(REST) ? until : until.orOffset(end + 1), patience.left())
                    .fired();
            if (fired == Waited.Fired.OFFSET) {
                quiet = REST;
            } else if (fired != Waited.Fired.IDLE || session.inputState().seenWaiting()) {
                return fired;
            } else {
                quiet = quiet.multipliedBy(2);
            }
        }
    }

    private ExecResult answer(
            Session session, int maxTokens, boolean strip, Waited.Fired fired, Patience patience, long began)
            throws InterruptedException {
        InputState seen = session.awaitInputState(REST);
        // The exit before the end of the output: one that is seen has all its output before it.
        SessionRecord record = session.snapshot();
        boolean running = record.exitCode() == null;
        boolean drained = session.drained();
        InputState input = running ? seen : InputState.NOBODY;
        Cursor cursor = session.drainer();
        OutputLog log = session.output();
        Excerpt shown = Excerpt.ends(log, cursor.position(), log.end(), drained, form(maxTokens, strip),
                (bytes, from) -> bytes + " bytes are missing here; read_output(session_id=\"" + session.id()
                        + "\", from=" + from + ") fetches them.");
        cursor.moveTo(shown.next());
        Waited.Fired waited = running || fired == Waited.Fired.MATCH ? fired : Waited.Fired.EXIT;
        return new ExecResult(
                true,
                session.id(),
                shown.text(),
                running,
                record.exitCode(),
                shown.omitted() > 0,
                record.signal(),
                millisSince(began),
                shown.start(),
                shown.next(),
                shown.omitted(),
                shown.tokens(),
                waited.name().toLowerCase(Locale.ROOT),
                input.waiting(),
                input.echoOff(),
                hint(record, fired, patience),
                null);
    }

    private static @Nullable String hint(SessionRecord record, Waited.Fired fired, Patience patience) {
        if (record.exitCode() != null) {
            return record.endReason() == EndReason.EXIT || record.endReason() == null ? null : ended(record);
        }
        return fired == Waited.Fired.TIMEOUT && patience.longWait()
                ? "Still running. Wait on with write_stdin(session_id=\"" + record.id()
                        + "\", wait_for={\"exit\":true}), or stop it with keys [\"ctrl-c\"]."
                : null;
    }

    /// Why a session is over, in words.
    private static String ended(SessionRecord record) {
        String why = switch (record.endReason()) {
            case IDLE_TIMEOUT -> "was ended because nothing happened in it for its idle timeout";
            case TIMEOUT -> "was ended because its timeout_ms was used up";
            case SHUTDOWN -> "was ended because Belay shut down";
            case CLOSED -> "was closed";
            case EXIT -> "has exited";
            case null -> "has exited";
            default -> "was ended because it reached its " + record.endReason().label().replace('_', ' ');
        };
        return "Session " + record.id() + " " + why + "; it takes no input. Start a new one with unified_exec.";
    }

    private Excerpt.Form form(int maxTokens, boolean strip) {
        AgentSettings now = settings.get();
        return new Excerpt.Form(now.tokens(), maxTokens, strip, strip || now.collapseProgress());
    }

    // --- read_output, list_pty_sessions, close_pty_session ---

    /// Reads any part of a session's output again.
    public OutputResult readOutput(ReadRequest request) {
        try {
            Session session = find(request.sessionId());
            // The exit before the end of the output: one that is seen has all its output before it.
            SessionRecord record = session.snapshot();
            OutputLog log = session.output();
            boolean drained = session.drained();
            long end = log.end();
            Excerpt.Form form = form(request.maxOutputTokens(), request.stripAnsi());
            Excerpt shown;
            if (request.tail() != null) {
                shown = Excerpt.end(log, LastLines.start(log, end, request.tail()), end, drained, form);
            } else {
                long from = request.from() == null ? log.start() : request.from();
                if (from < 0 || from > end) {
                    throw SessionException.invalid("Offset " + from + " is not in the output of session "
                            + session.id() + ", which ends at " + end + ".");
                }
                shown = Excerpt.beginning(log, from, end, drained, form);
            }
            long rest = request.tail() == null ? end - shown.next() : 0;
            return new OutputResult(
                    true,
                    session.id(),
                    shown.text(),
                    shown.start(),
                    shown.next(),
                    shown.next(),
                    shown.omitted() + rest > 0,
                    shown.omitted() + rest,
                    record.exitCode() == null,
                    record.exitCode(),
                    null);
        } catch (SessionException e) {
            return OutputResult.failed(request.sessionId(), ToolError.of(e));
        }
    }

    /// All sessions of the agent, sorted by id.
    public ListResult listPtySessions() {
        return new ListResult(
                true,
                own().map(session -> new ListResult.Entry(
                        session.snapshot(), session.inputState().waiting(), session.drainer().unread()))
                        .toList(),
                null);
    }

    /// Ends a session with all its processes and forgets it.
    public CloseResult closePtySession(String sessionId, boolean force) {
        try {
            Session session = find(sessionId);
            Closed closed = session.close(force);
            SessionRecord record = session.snapshot();
            return new CloseResult(true, sessionId, record.exitCode(), record.signal(), closed.killed(), null);
        } catch (SessionException e) {
            return new CloseResult(false, sessionId, null, null, 0, ToolError.of(e));
        }
    }

    private Session find(String id) {
        return sessions.find(id)
                .filter(this::mayTouch)
                .map(session -> session.as(actor))
                .orElseThrow(() -> {
                    String living = own().map(Session::snapshot).map(AgentTools::line)
                            .collect(Collectors.joining("; "));
                    return new SessionException(
                            ErrorCode.NOT_FOUND,
                            "There is no session " + Quoted.of(id) + ". "
                                    + (living.isEmpty()
                                            ? "There is none at all; start one with unified_exec."
                                            : "There are: " + living + "."));
                });
    }

    private java.util.stream.Stream<Session> own() {
        return sessions.list().stream().filter(this::mayTouch).map(session -> session.as(actor));
    }

    private boolean mayTouch(Session session) {
        return actor.admin() || session.spec().owner().equals(actor.name());
    }

    private static long millisSince(long began) {
        return (System.nanoTime() - began) / 1_000_000;
    }
}
