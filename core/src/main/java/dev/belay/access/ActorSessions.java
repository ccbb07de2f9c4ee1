package dev.belay.access;

import dev.belay.Actor;
import dev.belay.Approval;
import dev.belay.Approvals;
import dev.belay.ErrorCode;
import dev.belay.Limits;
import dev.belay.Quoted;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Time;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The sessions as one actor may see, drive and open them. Every front door and every agent tool reaches sessions
/// through such a view, which [Gate] makes.
///
/// The principal is looked up in every call, so a principal that is signed out loses access at once. A session that the
/// actor may not see is `NOT_FOUND`, as if it did not exist. Safe for any thread.
public final class ActorSessions {
    /// The detail of `INVALID_REQUEST` that lists the owners of an ambiguous id.
    public static final String OWNERS = "owners";

    private final Gate gate;
    private final Supplier<Principal> principal;
    private final boolean agent;
    private final @Nullable String conversation;

    /// @param conversation see [#in]
    ActorSessions(Gate gate, Supplier<Principal> principal, boolean agent, @Nullable String conversation) {
        this.gate = gate;
        this.principal = principal;
        this.agent = agent;
        this.conversation = conversation;
    }

    /// The view of an agent in a conversation, to which the sessions belong that it opens.
    ///
    /// @param name identifies the conversation among those of the agent's principal; null: it belongs to none
    public ActorSessions in(@Nullable String name) {
        return new ActorSessions(
                gate, principal, agent, name == null ? null : principal.get().name() + "/" + name);
    }

    /// The conversation has ended: answers that were given for it count no longer.
    public void endConversation() {
        if (conversation != null) {
            gate.sessions().approvals().forget(conversation);
        }
    }

    /// Who uses this view.
    public Actor actor() {
        return actor(principal.get());
    }

    private Actor actor(Principal of) {
        return agent ? of.actor().asAgent() : of.actor();
    }

    /// The sessions that the actor may see, sorted by id and owner.
    public List<Session> list() {
        Principal now = principal.get();
        return visible(now, gate.sessions().list(), null);
    }

    /// Refuses if the actor is signed out, as every other method does.
    public void requireSignedIn() {
        var _ = principal.get();
    }

    /// Whether the actor may see the sessions of an owner.
    public boolean sees(String owner) {
        return principal.get().sees(owner);
    }

    /// Whether the actor may see the sessions of everybody.
    public boolean seesAll() {
        return principal.get().role() != Role.USER;
    }

    /// What the actor may use.
    public Quota quota() {
        return principal.get().quota();
    }

    /// A session to read. Without an owner, an id means the actor's own session if there is one, otherwise the only
    /// visible session with that id.
    public Session see(String id, @Nullable String owner) {
        return see(principal.get(), id, owner);
    }

    /// A session to write to, resize, signal, take the keyboard of, or close; see [#see].
    public Session drive(String id, @Nullable String owner) {
        Principal now = principal.get();
        Session session = see(now, id, owner);
        requireMayDrive(now);
        return session;
    }

    /// A session that was found earlier, if the actor may still use it.
    ///
    /// @param drives false for a handle that can only watch
    public Session recheck(Session session, boolean drives) {
        Principal now = principal.get();
        if (!now.sees(session.spec().owner())) {
            throw notFound(session.id());
        }
        if (drives) {
            requireMayDrive(now);
            return session.as(actor(now));
        }
        return session.as(actor(now).asWatcher());
    }

    /// Whether the actor may drive what it sees.
    public boolean mayDrive() {
        return principal.get().role() != Role.WATCH;
    }

    /// Refuses an actor that may open nothing, whatever it asks for.
    public void requireMayOpen() {
        requireMayDrive(principal.get());
    }

    /// Opens a session within the actor's quota and pace. Waits its turn if the origin has a queue.
    ///
    /// @param spec with its origin; the gate sets the owner, and the idle timeout if the origin has one
    public Session open(SessionSpec spec) throws InterruptedException {
        Principal now = principal.get();
        requireMayDrive(now);
        return gate.open(now, spec.guard(spec.guard().conversation(conversation))).as(actor(now));
    }

    // --- approvals ---

    /// The open questions about sessions that the actor sees or may answer for, as soon as they differ from those of a
    /// revision.
    ///
    /// @param after the revision that is known; -1 for none
    public Approvals.Pending approvals(long after, Duration timeout) throws InterruptedException {
        Approvals.Pending all = gate.sessions().approvals().next(after, timeout);
        Principal now = principal.get();
        return new Approvals.Pending(
                all.revision(), all.approvals().stream().filter(one -> sees(now, one))
                        .map(one -> one.seenBy(actor(now))).toList());
    }

    /// Whether the actor may see a question.
    public boolean sees(Approval approval) {
        return sees(principal.get(), approval);
    }

    private boolean sees(Principal now, Approval approval) {
        return now.sees(approval.owner()) || approval.answerableBy(actor(now));
    }

    /// Answers an open question. Only admins and those listed in the owner's `approvers` may; agents never may.
    public Approval answer(String id, Approval.Answer answer) {
        Principal now = principal.get();
        Approvals approvals = gate.sessions().approvals();
        Approval found = approvals.find(id).orElse(null);
        if (found != null && !sees(now, found)) {
            throw Approval.notPending(id, null);
        }
        if (found != null && !found.answerableBy(actor(now))) {
            throw new SessionException(
                    ErrorCode.DENIED,
                    agent
                            ? "Agents cannot approve programs; ask the person you work for."
                            : now.name() + " may not answer for " + found.owner()
                                    + "; ask an admin, or somebody listed in approvers.");
        }
        if (found != null && answer.allow() && found.hides(actor(now))) {
            throw new SessionException(
                    ErrorCode.DENIED,
                    found.privateTo() + " typed this command privately, so " + now.name()
                            + " cannot see what it is and may only deny it; an admin can see it.");
        }
        return approvals.answer(id, now.name(), answer).seenBy(actor(now));
    }

    /// Answers for the user of an MCP client, who was asked by the client. Only where the settings trust it to.
    public Approval answerAsClient(String id, Approval.Answer answer) {
        Principal now = principal.get();
        Approvals approvals = gate.sessions().approvals();
        approvals.find(id).filter(found -> !trustsClient(found)).ifPresent(_ -> {
            throw new SessionException(ErrorCode.DENIED, "The user of the client may not answer for " + now.name()
                    + ": approvers does not list \"client\".");
        });
        return approvals.answer(id, now.name() + "/" + Approval.CLIENT, answer);
    }

    /// Whether the user of this agent's client may answer a question.
    public boolean trustsClient(Approval approval) {
        return agent && approval.privateTo() == null && approval.owner().equals(principal.get().name())
                && approval.approvers().contains(Approval.CLIENT);
    }

    /// Declares that the user of the client can be asked.
    ///
    /// @return run it when they no longer can
    public Runnable attend() {
        return gate.sessions().approvals().attend();
    }

    /// The limits of all sessions.
    public Limits limits() {
        return gate.sessions().limits();
    }

    /// The time that the sessions go by.
    public Time time() {
        return gate.sessions().time();
    }

    /// The folder that working folders are relative to.
    public Path workspace() {
        return gate.sessions().workspace();
    }

    private Session see(Principal now, String id, @Nullable String owner) {
        List<Session> seen = visible(now, gate.sessions().named(id), owner);
        return seen.stream()
                .filter(session -> seen.size() == 1 || session.spec().owner().equals(now.name()))
                .findFirst()
                .orElseThrow(() -> seen.isEmpty() ? notFound(id) : ambiguous(id, seen));
    }

    private List<Session> visible(Principal now, List<Session> all, @Nullable String owner) {
        return all.stream()
                .filter(session -> now.sees(session.spec().owner()))
                .filter(session -> owner == null || session.spec().owner().equals(owner))
                .map(session -> session.as(actor(now)))
                .toList();
    }

    private static SessionException notFound(String id) {
        return new SessionException(
                ErrorCode.NOT_FOUND,
                "There is no session " + Quoted.of(id) + "; list the sessions to see which exist.");
    }

    private static SessionException ambiguous(String id, List<Session> seen) {
        String owners = seen.stream().map(session -> session.spec().owner()).collect(Collectors.joining(", "));
        return new SessionException(
                ErrorCode.INVALID_REQUEST,
                "Several owners have a session " + Quoted.of(id) + ": " + owners + ". Say which one with owner=NAME.",
                Map.of(OWNERS, owners));
    }

    private static void requireMayDrive(Principal now) {
        if (now.role() == Role.WATCH) {
            throw new SessionException(ErrorCode.DENIED, now.name() + " may only watch sessions.");
        }
    }
}
