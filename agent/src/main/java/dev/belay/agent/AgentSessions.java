package dev.belay.agent;

import dev.belay.Approval;
import dev.belay.ErrorCode;
import dev.belay.Limits;
import dev.belay.Quoted;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionRecord;
import dev.belay.SessionSpec;
import dev.belay.SessionState;
import dev.belay.Time;
import dev.belay.Until;
import dev.belay.access.ActorSessions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// An agent's view of sessions in the words of the tools: a `session_id` is an id or `OWNER/ID`, and a refusal names
/// the sessions that there are and the tool to use next.
final class AgentSessions {
    private static final int MAX_COMMAND_CHARS = 60;
    /// How long what an exited program left may take to end before its id counts as taken, and how often to look.
    private static final Duration LINGER = Duration.ofSeconds(1);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

    private final ActorSessions view;
    private final CallTurns turns;
    private final ApprovalAsker asker;

    /// @param asker asks the user of the client while a call waits
    AgentSessions(ActorSessions view, CallTurns turns, ApprovalAsker asker) {
        this.view = view;
        this.turns = turns;
        this.asker = asker;
    }

    /// Asks the user of the client about the programs that a session wants to start, where the settings trust the
    /// client to.
    ///
    /// @return false if somebody else has to answer
    boolean askUser(Session session) throws InterruptedException {
        session.approvalsKnown();
        boolean all = true;
        for (Approval approval : session.approvals()) {
            all &= view.trustsClient(approval) && asker.ask(approval);
        }
        return all;
    }

    List<Session> list() {
        return view.list();
    }

    Time time() {
        return view.time();
    }

    Limits limits() {
        return view.limits();
    }

    /// A session to read.
    Session find(String sessionId) {
        return find(sessionId, view::see);
    }

    /// A session to type into or close.
    Session drive(String sessionId) {
        return find(sessionId, view::drive);
    }

    private Session find(String sessionId, BiFunction<String, @Nullable String, Session> look) {
        int slash = sessionId.lastIndexOf('/');
        String id = sessionId.substring(slash + 1);
        try {
            return look.apply(id, slash < 0 ? null : sessionId.substring(0, slash));
        } catch (SessionException e) {
            throw e.code() == ErrorCode.NOT_FOUND
                    ? notFound(id)
                    : e.details().get(ActorSessions.OWNERS) instanceof String owners ? ambiguous(id, owners) : e;
        }
    }

    private static SessionException ambiguous(String id, String owners) {
        return SessionException.invalid("Several owners have a session " + Quoted.of(id) + "; use one of "
                + Arrays.stream(owners.split(", ")).map(owner -> owner + "/" + id).collect(Collectors.joining(", "))
                + " as session_id.");
    }

    private SessionException notFound(String id) {
        String known = lines(list().stream().map(Session::snapshot));
        return new SessionException(
                ErrorCode.NOT_FOUND,
                "There is no session " + Quoted.of(id) + ". "
                        + (known.isEmpty()
                                ? "You have none; start one with unified_exec."
                                : "You have: " + known + "."));
    }

    /// Where a folder is that is relative to the workspace.
    Path folder(String workdir) {
        return view.workspace().resolve(workdir).normalize();
    }

    /// Opens a session within the quota. The id of one that has exited, with nothing left running, is free again.
    Session open(SessionSpec spec) throws InterruptedException {
        try {
            forgetExited(spec.id());
            return view.open(spec);
        } catch (SessionException e) {
            throw e.code() == ErrorCode.LIMIT_REACHED ? full(e) : e;
        }
    }

    private void forgetExited(@Nullable String id) throws InterruptedException {
        for (Session session : id == null ? List.<Session>of() : list()) {
            if (session.id().equals(id) && session.spec().owner().equals(view.actor().name())
                    && session.exit().isPresent() && isOver(session)) {
                session.close(true);
            }
        }
    }

    /// Whether nothing of an exited session runs any more. What a shell leaves may take a moment to end.
    private static boolean isOver(Session session) throws InterruptedException {
        Until.Probe over = () -> nothingRuns(session) ? Duration.ZERO : LOOK_AGAIN;
        session.cursor(session.output().end()).await(Until.offset(Long.MAX_VALUE).orSeen(over), LINGER);
        return nothingRuns(session);
    }

    private static boolean nothingRuns(Session session) {
        return session.drained() && session.survivors() == 0;
    }

    private SessionException full(SessionException refused) {
        List<SessionRecord> running = list().stream()
                .map(Session::snapshot)
                .filter(record -> record.state() == SessionState.RUNNING || record.survivors() > 0)
                .sorted(Comparator.comparing(SessionRecord::startedAt))
                .toList();
        return new SessionException(
                refused.code(),
                refused.getMessage() + " Running, oldest first: " + lines(running.stream())
                        + ". Close one with close_pty_session.",
                Map.of("sessions", running.stream().map(SessionRecord::id).collect(Collectors.joining(","))));
    }

    private static String lines(Stream<SessionRecord> records) {
        return records.map(AgentSessions::line).collect(Collectors.joining("; "));
    }

    /// A session in a few words.
    private static String line(SessionRecord record) {
        String shell = record.labels().get(AgentTools.SHELL_LABEL);
        String text = shell != null ? shell : record.args().isEmpty() ? record.command() : record.args().getLast();
        boolean fits = text.codePointCount(0, text.length()) <= MAX_COMMAND_CHARS;
        return record.id() + " ("
                + Quoted.of(fits ? text : text.substring(0, text.offsetByCodePoints(0, MAX_COMMAND_CHARS)) + "...")
                + ")";
    }

    // --- turns ---

    /// Waits until no other call uses the session.
    ///
    /// @param address see [#address]
    CallTurns.Turn turn(String address) throws InterruptedException {
        return turns.take(address);
    }

    /// As [#turn], for a call that types: calls that wait make way.
    CallTurns.Turn turnToType(String address) throws InterruptedException {
        return turns.takeToType(address);
    }

    /// `OWNER/ID` of the agent's own session of an id.
    String ownAddress(String id) {
        return view.actor().name() + "/" + id;
    }

    /// `OWNER/ID` of a session. One that does not exist yet would be the agent's own.
    String address(String sessionId) {
        try {
            Session session = find(sessionId);
            return session.spec().owner() + "/" + session.id();
        } catch (SessionException e) {
            if (e.code() != ErrorCode.NOT_FOUND) {
                throw e;
            }
            return sessionId.indexOf('/') < 0 ? ownAddress(sessionId) : sessionId;
        }
    }
}
