package dev.belay;

import dev.belay.Approval.Answer;
import dev.belay.Approval.Reason;
import dev.belay.Approval.Scope;
import dev.belay.Approval.State;
import dev.belay.ExecPolicy.Action;
import dev.belay.ExecPolicy.Verdict;
import dev.belay.host.ExecRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Decides which programs the processes of watched sessions may start: by rules, by earlier answers, or by asking.
///
/// The kernel holds the process meanwhile. Identical questions of a session are one. What nobody answers in time is
/// refused.
/// Safe for any thread; the monitor guards the table of questions only.
public final class Approvals {
    /// How many questions all sessions together may have open. Each costs a descriptor.
    public static final int MOST_OF_ALL = 512;

    private static final int MAX_CLOSED = 1024;

    private final Time time;
    private final Timer timer;
    private final AnswerFile kept;
    private final ConversationAnswers conversations = new ConversationAnswers();
    private final Doorbell bell = new Doorbell();
    private final List<ApprovalListener> listeners = new CopyOnWriteArrayList<>();
    /// How many can ask somebody.
    private final AtomicInteger attending = new AtomicInteger();
    private volatile Settings settings = Settings.DEFAULT;

    // Guarded by the monitor.
    private final Map<String, Question> pending = new LinkedHashMap<>();
    private final Map<String, Future<?>> timeouts = new HashMap<>();
    private final Map<String, Approval> closed = new LinkedHashMap<>();
    private long revision;

    /// How programs are judged.
    ///
    /// @param watch   the origins of sessions that are watched; a spec may also ask to be watched
    /// @param policy  judges each program
    /// @param timeout how long a question stays open
    /// @param most    how many questions a session may have open
    /// @param waiting how many processes may wait for the answer to one question
    public record Settings(Set<Origin> watch, ExecPolicy policy, Duration timeout, int most, int waiting) {
        /// Nothing is watched.
        public static final Settings DEFAULT =
                new Settings(Set.of(), ExecPolicy.ALLOW_ALL, Duration.ofMinutes(5), 32);

        public Settings {
            watch = Set.copyOf(watch);
            if (!timeout.isPositive() || most < 1 || waiting < 1) {
                throw SessionException.invalid(
                        "Approvals need a timeout longer than zero, and at least 1 question and 1 process.");
            }
        }

        /// Up to 64 processes may wait for the answer to one question.
        public Settings(Set<Origin> watch, ExecPolicy policy, Duration timeout, int most) {
            this(watch, policy, timeout, most, 64);
        }
    }

    Approvals(Time time, Timer timer, AnswerFile kept) {
        this.time = time;
        this.timer = timer;
        this.kept = kept;
    }

    public Settings settings() {
        return settings;
    }

    /// Uses other settings from now on. Open questions are judged again; those that stay open keep their deadline.
    public void settings(Settings value) {
        settings = value;
        questions().forEach(question -> judge(question, value));
    }

    private void judge(Question question, Settings by) {
        Verdict verdict = by.policy().judge(question.approval().owner(), question.execution());
        if (verdict.action() != Action.ASK) {
            boolean allow = verdict.action() == Action.ALLOW;
            close(question, allow ? State.ALLOWED : State.DENIED, Reason.RULE);
        }
    }

    /// Declares that somebody can answer. While nobody can, programs that need an answer are refused.
    ///
    /// @return run it when nobody can answer any longer
    public Runnable attend() {
        attending.incrementAndGet();
        AtomicBoolean once = new AtomicBoolean();
        return () -> {
            if (once.compareAndSet(false, true)) {
                attending.decrementAndGet();
            }
        };
    }

    public void addListener(ApprovalListener listener) {
        listeners.add(listener);
    }

    public void removeListener(ApprovalListener listener) {
        listeners.remove(listener);
    }

    // --- questions ---

    /// The open questions, oldest first, and the revision of this list.
    public Pending pending() {
        synchronized (this) {
            return new Pending(revision, pending.values().stream().map(Question::approval).toList());
        }
    }

    /// The open questions at one moment.
    ///
    /// @param revision grows with every change
    public record Pending(long revision, List<Approval> approvals) {}

    /// The open questions, as soon as they differ from those of a revision, or after the timeout.
    public Pending next(long after, Duration timeout) throws InterruptedException {
        Deadline deadline = Deadline.in(time, timeout);
        while (true) {
            long seen = bell.rings();
            Pending now = pending();
            if (now.revision() != after || !bell.await(seen, deadline)) {
                return now;
            }
        }
    }

    /// Finds an open question.
    public Optional<Approval> find(String id) {
        synchronized (this) {
            return Optional.ofNullable(pending.get(id)).map(Question::approval);
        }
    }

    /// Answers a question. The first answer counts: a later one is `NOT_FOUND`, with the detail `state`.
    ///
    /// @param by who answers
    public Approval answer(String id, String by, Answer answer) {
        Question question;
        synchronized (this) {
            question = pending.get(id);
            if (question == null) {
                throw notPending(id);
            }
        }
        Remembered remembered = question.remember(answer);
        State how = answer.allow() ? State.ALLOWED : State.DENIED;
        Approval done = close(question, how, Reason.ANSWER, by, answer.scope(), now -> {
            // Only the answer that counts is kept, and one that cannot be kept is refused.
            if (remembered != null && answer.scope() == Scope.WORKSPACE) {
                kept.add(remembered);
            }
            if (remembered != null) {
                now.live().answers.add(remembered);
                if (answer.scope() == Scope.CONVERSATION) {
                    conversations.add(now.live().spec.guard().conversation(), remembered);
                }
            }
            return true;
        });
        if (done == null) {
            synchronized (this) {
                throw notPending(id);
            }
        }
        return done;
    }

    /// An agent's conversation has ended: its answers count no longer.
    public void forget(String conversation) {
        conversations.forget(conversation);
    }

    private SessionException notPending(String id) {
        Approval done = closed.get(id);
        return Approval.notPending(id, done == null ? null : done.state());
    }

    /// A question that was closed recently.
    Optional<Approval> closed(String id) {
        synchronized (this) {
            return Optional.ofNullable(closed.get(id));
        }
    }

    private List<Question> questions() {
        synchronized (this) {
            return List.copyOf(pending.values());
        }
    }

    List<Approval> pending(LiveSession live) {
        synchronized (this) {
            return of(live).stream().map(Question::approval).toList();
        }
    }

    /// Whether there are open questions of a session that its agent has not been told of.
    boolean newlyAsked(LiveSession live) {
        return !live.answers.allKnown() && !pending(live).isEmpty();
    }

    /// What a session's agent should know now: the open questions, and what was refused since it was told last.
    List<Approval> news(LiveSession live) {
        live.answers.known();
        List<Approval> news = new ArrayList<>(live.answers.takeNews());
        news.addAll(pending(live));
        return news;
    }

    private List<Question> of(LiveSession live) {
        return pending.values().stream().filter(question -> question.live() == live).toList();
    }

    // --- programs ---

    /// Decides about a program, now or when somebody has answered. Runs on a thread of its own, and never throws.
    void handle(LiveSession live, ExecRequest request) {
        guarded(live, request, () -> request.look().ifPresent(execution -> decide(live, request, execution)));
    }

    /// Does something that answers a request. If it fails, the request is refused: the process must not wait for ever.
    private static void guarded(LiveSession live, ExecRequest request, Runnable answers) {
        try {
            answers.run();
        } catch (RuntimeException | OutOfMemoryError e) {
            Log.LOG.log(System.Logger.Level.WARNING, "could not judge a program of session " + live.id + "; refused",
                    e);
            request.deny();
        }
    }

    private void decide(LiveSession live, ExecRequest request, Execution execution) {
        Settings by = settings;
        Verdict verdict = by.policy().judge(live.spec.owner(), execution);
        switch (verdict.action()) {
            case ALLOW -> allow(request, verdict.checked() ? allowed(live, execution, verdict, Reason.RULE) : null);
            case DENY -> refuse(live, request, execution, verdict, State.DENIED, Reason.RULE);
            case ASK -> {
                boolean goesOn = live.answers.goesOn(execution, verdict.rule());
                Remembered earlier = earlier(live, execution).orElse(null);
                if (earlier == null && !goesOn) {
                    ask(live, request, execution, verdict, by);
                } else if (earlier == null || earlier.allow()) {
                    live.answers.allowed(request.pid(), execution, verdict.rule());
                    allow(request, allowed(live, execution, verdict, Reason.EARLIER_ANSWER));
                } else {
                    refuse(live, request, execution, verdict, State.DENIED, Reason.EARLIER_ANSWER);
                }
            }
        }
    }

    /// The latest answer that applies to a program.
    private Optional<Remembered> earlier(LiveSession live, Execution execution) {
        String owner = live.spec.owner();
        return live.answers.find(owner, execution)
                .or(() -> conversations.find(live.spec.guard().conversation(), owner, execution))
                .or(() -> kept.find(owner, execution));
    }

    private Approval allowed(LiveSession live, Execution execution, Verdict verdict, Reason why) {
        return note(live, execution, verdict, 1).closed(State.ALLOWED, why, null, null);
    }

    /// @param approval what to report about a check, as it was before the program started: it may have been typed
    ///                 privately then; null: check nothing
    private void allow(ExecRequest request, @Nullable Approval approval) {
        if (request.allow(approval != null) && approval != null) {
            Approval.Check check = request.check();
            tell(listener -> listener.checked(approval, check));
        }
    }

    private void refuse(
            LiveSession live, ExecRequest request, Execution execution, Verdict verdict, State how, Reason why) {
        // Programs search on after a refusal, along PATH: that is the same question.
        if (live.answers.refused(execution)) {
            Approval denied = note(live, execution, verdict, 1).closed(how, why, null, null);
            live.answers.note(denied);
            tell(listener -> listener.denied(denied));
        }
        request.deny();
    }

    private void ask(LiveSession live, ExecRequest request, Execution execution, Verdict verdict, Settings by) {
        if (live.answers.refusedBefore(execution)) {
            request.deny();
            return;
        }
        Approval asks = note(live, execution, verdict, 1).ancestors(request.ancestors());
        Question own = new Question(live, execution, asks, new ArrayList<>(List.of(request)));
        Entry entry = enter(own);
        if (entry.refusal() == Reason.WAITING) {
            // Only the first is followed, so some of the others may be gone.
            Question full = entry.question();
            waiting(full).stream().filter(ExecRequest::gone).forEach(one -> gone(full.approval().id(), one));
            entry = enter(own);
        }
        if (entry.refusal() != null) {
            refuse(live, request, execution, verdict, State.REFUSED, entry.refusal());
            return;
        }
        Question question = entry.question();
        Approval now = question.approval();
        String id = now.id();
        if (now.count() == 1) {
            long left = Deadline.nanos(Duration.between(time.now(), now.expiresAt()));
            Future<?> timeout = timer.in(left, () -> background("expire", () -> expire(id)));
            synchronized (this) {
                if (pending.containsKey(id)) {
                    timeouts.put(id, timeout);
                } else {
                    Timer.cancel(timeout);
                }
            }
        }
        live.asked();
        tell(listener -> listener.asked(now));
        bell.ring();
        if (entry.first()) {
            follow(id, request);
        }
        Settings since = settings;
        if (!since.equals(by)) {
            // They were replaced meanwhile, perhaps before the question was there to be judged by them.
            judge(question, since);
        }
    }

    /// What has become of a program that needs an answer.
    ///
    /// @param question the open question that it waits for, or could not wait for
    /// @param first    whether nobody else waits for the answer
    /// @param refusal  null: it waits
    private record Entry(Question question, boolean first, @Nullable Reason refusal) {}

    /// Makes a program wait for its own question, or for the same one that is already open.
    private Entry enter(Question own) {
        boolean anybody = attending.get() > 0;
        Settings by = settings;
        synchronized (this) {
            List<Question> open = of(own.live());
            Question same = open.stream().filter(one -> one.sameAs(own.execution())).findFirst().orElse(null);
            Reason refusal = null;
            if (same != null) {
                refusal = same.waiting().size() < by.waiting() ? null : Reason.WAITING;
            } else if (!anybody) {
                refusal = Reason.NOBODY;
            } else if (open.size() >= by.most() || pending.size() >= Math.max(by.most(), MOST_OF_ALL)) {
                refusal = Reason.QUESTIONS;
            }
            if (refusal != null) {
                return new Entry(same == null ? own : same, false, refusal);
            }
            Question question = same == null ? own : same.with(own.waiting().getFirst());
            pending.put(question.approval().id(), question);
            revision++;
            return new Entry(question, question.waiting().size() == 1, null);
        }
    }

    private List<ExecRequest> waiting(Question question) {
        synchronized (this) {
            return List.copyOf(question.waiting());
        }
    }

    /// Withdraws a request when its process is gone. That costs a descriptor, so of those that wait for one answer only
    /// the first is followed: while it waits, the question stays open anyway.
    private void follow(String id, ExecRequest request) {
        try {
            request.onGone(() -> background("withdraw", () -> gone(id, request)));
        } catch (RuntimeException e) {
            // It is refused, and so has no question.
            gone(id, request);
            throw e;
        }
    }

    private static void background(String what, Runnable task) {
        Background.thread(what + " an approval", task).start();
    }

    private void expire(String id) {
        Question question;
        synchronized (this) {
            question = pending.get(id);
        }
        if (question != null) {
            close(question, State.EXPIRED, Reason.TIMEOUT);
        }
    }

    /// A process that waited for an answer is gone.
    private void gone(String id, ExecRequest request) {
        Question question;
        ExecRequest next;
        synchronized (this) {
            question = pending.get(id);
            int at = question == null ? -1 : question.waiting().indexOf(request);
            if (question == null || at < 0) {
                return;
            }
            question.waiting().remove(at);
            next = at > 0 || question.waiting().isEmpty() ? null : question.waiting().getFirst();
        }
        close(question, State.GONE, Reason.GONE, null, null, now -> now.waiting().isEmpty());
        if (next != null) {
            guarded(question.live(), next, () -> follow(id, next));
        }
    }

    /// The session ends: its questions need no answer.
    void withdraw(LiveSession live) {
        List<Question> questions;
        synchronized (this) {
            questions = of(live);
        }
        questions.forEach(question -> close(question, State.GONE, Reason.GONE));
    }

    private void close(Question question, State how, Reason why) {
        close(question, how, why, null, null, _ -> true);
    }

    /// @param still says whether to close it as it is now, in the monitor; if it throws, the question stays open
    /// @return null if it is still open, or was already closed
    private @Nullable Approval close(
            Question question, State how, Reason why, @Nullable String by, @Nullable Scope scope,
            Predicate<Question> still) {
        Approval done;
        List<ExecRequest> waiting;
        synchronized (this) {
            Question now = pending.get(question.approval().id());
            if (now == null || !still.test(now)) {
                return null;
            }
            pending.remove(now.approval().id());
            Timer.cancel(timeouts.remove(now.approval().id()));
            done = now.approval().closed(how, why, by, scope);
            waiting = List.copyOf(now.waiting());
            closed.put(done.id(), done);
            if (closed.size() > MAX_CLOSED) {
                closed.remove(closed.keySet().iterator().next());
            }
            revision++;
        }
        boolean allow = how == State.ALLOWED;
        if (!allow) {
            question.live().answers.refused(question.execution());
            question.live().answers.note(done);
        }
        tell(listener -> listener.closed(done));
        bell.ring();
        question.live().answered();
        for (ExecRequest request : waiting) {
            if (allow) {
                question.live().answers.allowed(
                        request.pid(), question.execution(), question.approval().rule());
                background("check", () -> guarded(question.live(), request, () -> allow(request, done)));
            } else {
                request.deny();
            }
        }
        return done;
    }

    private Approval note(LiveSession live, Execution execution, Verdict verdict, int count) {
        Instant now = time.now();
        return Question.note(live, execution, verdict.rule(), count, now, now.plus(settings.timeout()));
    }

    private void tell(Consumer<ApprovalListener> event) {
        for (ApprovalListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (RuntimeException e) {
                Log.LOG.log(System.Logger.Level.WARNING, "a listener of approvals failed", e);
            }
        }
    }
}
