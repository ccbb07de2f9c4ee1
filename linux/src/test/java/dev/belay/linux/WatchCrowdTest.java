package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Approval;
import dev.belay.Approval.Answer;
import dev.belay.Approval.Reason;
import dev.belay.Approval.State;
import dev.belay.ApprovalListener;
import dev.belay.Approvals;
import dev.belay.Guard;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.testkit.Rig;
import java.io.File;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Many processes that wait for one answer: they cost no descriptors, and there is a most of them.
@Timeout(300)
class WatchCrowdTest extends WatchRig {
    private static final int WAITING = Approvals.Settings.DEFAULT.waiting();
    private static final int CROWD = 2500;
    /// Of threads that look at a process at the moment, and of what this JVM does besides.
    private static final int SLACK = 40;

    private static int descriptors() {
        return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
    }

    private Approval asked(int count) throws InterruptedException {
        Approvals.Pending now = approvals().pending();
        while (now.approvals().isEmpty() || now.approvals().getFirst().count() < count) {
            now = approvals().next(now.revision(), Rig.PATIENCE);
        }
        assertThat(now.approvals()).hasSize(1);
        return now.approvals().getFirst();
    }

    private void settings(int most, int waiting) {
        approvals().settings(new Approvals.Settings(
                Set.of(), (_, execution) -> judge(execution), Duration.ofMinutes(5), most, waiting));
    }

    @Test
    void thousandsThatWaitForOneAnswerCostNoDescriptorsAndAreBounded() throws Exception {
        AtomicInteger most = new AtomicInteger();
        approvals().addListener(new ApprovalListener() {
            @Override
            public void asked(Approval approval) {
                most.accumulateAndGet(descriptors(), Math::max);
            }
        });
        Session session = watched("/bin/sh", "-c",
                "i=0; while [ $i -lt " + CROWD + " ]; do uname -s 2>/dev/null & i=$((i+1)); done; wait; echo end");
        int before = descriptors();
        for (int i = WAITING; i < CROWD; i++) {
            Approval refused = next(denied);
            assertThat(refused.state()).isEqualTo(State.REFUSED);
            assertThat(refused.reason()).isEqualTo(Reason.WAITING);
        }
        Approval asked = asked(WAITING);
        assertThat(most.get()).isLessThan(before + SLACK);
        assertThat(descriptors()).isLessThan(before + SLACK);
        Session other = sessions().open(SessionSpec.of("/bin/echo", "still open").pipe());
        assertThat(output(other)).isEqualTo("still open\n");
        approvals().answer(asked.id(), "ada", Answer.ALLOW);
        assertThat(output(session)).isEqualTo("Linux\n".repeat(WAITING) + "end\n");
    }

    @Test
    void aQuestionStaysOpenUntilTheLastThatWaitsIsGone() throws Exception {
        Session session = watched("bash", "-c", """
                for i in 1 2 3; do uname -s & pids="$pids $!"; done
                read; for pid in $pids; do kill -9 $pid; wait $pid; read; done 2>/dev/null; echo end
                """);
        Approval asked = asked(3);
        for (int i = 0; i < 3; i++) {
            assertThat(closed).isEmpty();
            assertThat(approvals().find(asked.id())).isPresent();
            session.writeLine("next");
        }
        assertThat(next(closed).state()).isEqualTo(State.GONE);
        session.writeLine("next");
        assertThat(output(session)).isEqualTo("end\n");
    }

    /// The first to ask is followed; the others make room when it is needed.
    @Test
    void theDeadMakeRoomForTheLiving() throws Exception {
        settings(32, 3);
        Session session = watched("bash", "-c", """
                uname -s &
                for i in 1 2 3 4 5 6; do uname -s & read; kill -9 $!; wait $!; done 2>/dev/null; wait; echo end
                """);
        for (int i = 2; i <= 7; i++) {
            Approval now = asked(i);
            assertThat(now.state()).isEqualTo(State.PENDING);
            session.writeLine("next");
        }
        assertThat(denied).isEmpty();
        approvals().answer(asked(7).id(), "ada", Answer.ALLOW);
        assertThat(output(session)).endsWith("Linux\nend\n");
    }

    @Test
    void allSessionsTogetherHaveAMostOfQuestions() throws Exception {
        int all = Approvals.MOST_OF_ALL;
        settings(all / 2 + 1, WAITING);
        String script = "i=0; while [ $i -lt " + all / 2 + " ]; do uname -s $1 $i & i=$((i+1)); done; wait";
        Session one = watched("/bin/sh", "-c", script, "sh", "one");
        Session two = watched("/bin/sh", "-c", script, "sh", "two");
        Approvals.Pending now = approvals().pending();
        while (now.approvals().size() < all) {
            now = approvals().next(now.revision(), Rig.PATIENCE);
        }
        Session three = sessions().open(SessionSpec.of("uname", "-s").pipe().guard(Guard.NONE.watched(true)));
        assertThat(three.awaitExit(Rig.PATIENCE).orElseThrow().code()).isEqualTo(126);
        assertThat(next(denied).reason()).isEqualTo(Reason.QUESTIONS);
        one.close();
        two.close();
    }
}
