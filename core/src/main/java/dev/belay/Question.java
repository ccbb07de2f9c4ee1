package dev.belay;

import dev.belay.Approval.Answer;
import dev.belay.Approval.Scope;
import dev.belay.Approval.State;
import dev.belay.host.ExecRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/// An open question, and the processes that wait for its answer. [Approvals] guards the list of these.
record Question(LiveSession live, Execution execution, Approval approval, List<ExecRequest> waiting) {
    /// What people see of a command line.
    private static final int MAX_WORDS = 200;
    private static final int MAX_CHARS = 8 << 10;

    /// What is known of a program, as a pending question.
    static Approval note(
            LiveSession live, Execution execution, @Nullable String rule, int count, Instant now, Instant expires) {
        String id = Long.toString(ThreadLocalRandom.current().nextLong(1L << 35, 1L << 36), Character.MAX_RADIX);
        List<String> all = execution.first().words();
        List<String> shown = shown(all);
        return new Approval(
                id, live.id, live.spec.owner(), execution.first().program(), shown, all.size() - shown.size(),
                execution.workdir(), List.of(), rule, count, live.spec.guard().approvers(), now, expires,
                State.PENDING, null, null, null);
    }

    private static List<String> shown(List<String> words) {
        List<String> shown = new ArrayList<>();
        int left = MAX_CHARS;
        for (String word : words) {
            if (shown.size() == MAX_WORDS || left <= 0) {
                break;
            }
            shown.add(word.length() <= left ? word : word.substring(0, left) + "...");
            left -= word.length();
        }
        return shown;
    }

    boolean sameAs(Execution other) {
        return other.images().equals(execution.images()) && other.workdir().equals(execution.workdir());
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
        if (!image.named() || !image.whole()) {
            throw SessionException.invalid("Belay does not know enough about this program; answer with scope once.");
        }
        if (image.writable() && answer.allow()) {
            throw SessionException.invalid("The session may change the file " + Quoted.of(image.program())
                    + ", so it can be allowed only once at a time; answer with scope once.");
        }
        return Remembered.of(image, answer);
    }
}
