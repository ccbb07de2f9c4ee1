package dev.belay;

import dev.belay.Approval.Answer;
import dev.belay.Approval.Scope;
import dev.belay.Approval.State;
import dev.belay.host.ExecRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// An open question, and the processes that wait for its answer. [Approvals] guards the list of these.
record Question(LiveSession live, Execution execution, Approval approval, List<ExecRequest> waiting) {
    private static final Predicate<String> PLAIN = Pattern.compile("[A-Za-z0-9_]{1,64}").asMatchPredicate();
    private static final int MAX_VARIABLES = 20;

    /// What is known of a program, as a pending question.
    static Approval note(
            LiveSession live, Execution execution, @Nullable String rule, int count, Instant now, Instant expires) {
        String id = Long.toString(ThreadLocalRandom.current().nextLong(1L << 35, 1L << 36), Character.MAX_RADIX);
        String privateTo = live.keyboard.startsFor();
        return new Approval(
                id, live.id, live.spec.owner(), execution.first().program(),
                CommandLine.of(execution.first().words()).incomplete(!execution.first().whole()), execution.workdir(),
                changed(execution),
                List.of(), rule, count,
                live.spec.guard().approvers(), scopes(live, execution, privateTo), privateTo, now, expires,
                State.PENDING, null, null, null);
    }

    /// For how long a program can be allowed.
    private static List<Scope> scopes(LiveSession live, Execution execution, @Nullable String privateTo) {
        if (!known(execution) || execution.first().writable() || execution.foreignLoader()) {
            return List.of(Scope.ONCE);
        }
        List<Scope> scopes = new ArrayList<>(List.of(Scope.ONCE, Scope.SESSION));
        if (live.spec.guard().conversation() != null) {
            scopes.add(Scope.CONVERSATION);
        }
        if (privateTo == null) {
            scopes.add(Scope.WORKSPACE);
        }
        return scopes;
    }

    /// Whether enough is known to recognise the same program again.
    private static boolean known(Execution execution) {
        return execution.first().named() && execution.first().whole() && !execution.workdir().isEmpty();
    }

    /// The names as safe text, and not too many of them.
    private static List<String> changed(Execution execution) {
        List<String> names = execution.variables().changed();
        List<String> shown = new ArrayList<>();
        names.stream().limit(MAX_VARIABLES).map(Question::name).forEach(shown::add);
        if (names.size() > MAX_VARIABLES) {
            shown.add("⟦… " + (names.size() - MAX_VARIABLES) + " more …⟧");
        }
        return shown;
    }

    /// Names of variables are chosen by the program, and could read like a part of the question.
    private static String name(String name) {
        return PLAIN.test(name) ? name : Quoted.of(name);
    }

    /// What cannot be told apart is never the same.
    boolean sameAs(Execution other) {
        return known(execution) && known(other) && other.images().equals(execution.images())
                && other.workdir().equals(execution.workdir())
                && other.variables().digest().equals(execution.variables().digest());
    }

    /// The same question, with one more process that waits for it.
    Question with(ExecRequest request) {
        waiting.add(request);
        return new Question(live, execution, approval.count(approval.count() + 1), waiting);
    }

    /// What to remember of an answer; null for nothing.
    @Nullable Remembered remember(Answer answer) {
        if (answer.scope() == Scope.ONCE) {
            return null;
        }
        Execution.Image image = execution.first();
        if (!known(execution)) {
            throw SessionException.invalid("Belay does not know enough about this program; answer with scope once.");
        }
        if (answer.scope() == Scope.CONVERSATION && live.spec.guard().conversation() == null) {
            throw SessionException.invalid("Session " + live.id + " belongs to no agent's conversation;"
                    + " answer with scope once, session or workspace.");
        }
        if (answer.scope() == Scope.WORKSPACE && approval.privateTo() != null) {
            throw SessionException.invalid("This command was typed privately, and answers for the workspace stand in a"
                    + " file; answer with scope once or session.");
        }
        if (image.writable() && answer.allow()) {
            throw SessionException.invalid("The session may change the file " + Quoted.of(image.program())
                    + ", so it can be allowed only once at a time; answer with scope once.");
        }
        return Remembered.of(live.spec.owner(), execution, answer);
    }
}
