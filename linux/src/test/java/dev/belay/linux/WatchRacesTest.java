package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Approval;
import dev.belay.Approval.Answer;
import dev.belay.Approval.Scope;
import dev.belay.Approval.State;
import dev.belay.Approvals;
import dev.belay.Cursor;
import dev.belay.ErrorCode;
import dev.belay.ExecPolicy;
import dev.belay.ReadResult;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Signal;
import dev.belay.testkit.Rig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What happens at the same time: of an answer and whatever else decides a question, one counts, and everybody is told
/// the same. And many programs, while another session floods.
class WatchRacesTest extends WatchRig {
    private static final int ROUNDS = 15;

    // --- an answer, and something else ---

    private interface Act {
        void run() throws Exception;
    }

    /// Gives an answer.
    ///
    /// @return how the question was closed if it came too late; null if it counts
    private @Nullable State answer(String id, String by, Answer answer) {
        try {
            approvals().answer(id, by, answer);
            return null;
        } catch (SessionException e) {
            assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.NOT_FOUND);
            return State.valueOf(String.valueOf(e.details().get("state")).toUpperCase(Locale.ROOT));
        }
    }

    /// Ada allows while something else happens. The question is closed once, and as both were told.
    private void against(Session session, Approval asked, State other, Act act) throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        FutureTask<@Nullable State> answers = new FutureTask<>(() -> {
            start.await();
            return answer(asked.id(), "ada", Answer.ALLOW);
        });
        Thread.ofPlatform().start(answers);
        start.await();
        act.run();
        State late = answers.get();
        Approval told = next(closed);
        assertThat(told.id()).isEqualTo(asked.id());
        assertThat(told.state()).isEqualTo(late == null ? State.ALLOWED : late).isIn(State.ALLOWED, other);
        assertThat(told.by()).isEqualTo(late == null ? "ada" : null);
        assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
        session.close();
        assertThat(closed).as("told again").isEmpty();
        assertThat(approvals().pending().approvals()).isEmpty();
    }

    @Test
    void aCloseAgainstAnAnswer() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            Session session = watched("uname", "-s");
            against(session, question(), State.GONE, session::close);
        }
    }

    @Test
    void aKillAgainstAnAnswer() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            Session session = watched("uname", "-s");
            long held = session.snapshot().pid();
            against(session, question(), State.GONE, () -> ProcessHandle.of(held).ifPresent(
                    ProcessHandle::destroyForcibly));
        }
    }

    @Test
    void aTimeoutAgainstAnAnswer() throws Exception {
        approvals().settings(new Approvals.Settings(
                Set.of(), (_, execution) -> judge(execution), Duration.ofMillis(20), 32));
        for (int i = 0; i < ROUNDS; i++) {
            Session session = watched("uname", "-s");
            Approval asked = questionOrClosed();
            against(session, asked, State.EXPIRED, () -> {});
        }
    }

    /// The question, which may have expired by now.
    private Approval questionOrClosed() throws InterruptedException {
        Approvals.Pending now = approvals().pending();
        while (now.approvals().isEmpty() && closed.isEmpty()) {
            now = approvals().next(now.revision(), Rig.PATIENCE);
        }
        return now.approvals().isEmpty() ? List.copyOf(closed).getFirst() : now.approvals().getFirst();
    }

    @Test
    void aReloadAgainstAnAnswer() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            approvals().settings(settings((_, execution) -> judge(execution)));
            Session session = watched("uname", "-s");
            against(session, question(), State.DENIED, () -> approvals().settings(settings(
                    (_, _) -> new ExecPolicy.Verdict(ExecPolicy.Action.DENY, "all"))));
        }
    }

    /// Rules that are read while a program is being judged by the old ones hold for its question too.
    @Test
    void aReloadWhileAProgramIsJudgedIsNotMissed() throws Exception {
        approvals().settings(settings((_, execution) -> {
            if (execution.first().name().equals("uname")) {
                approvals().settings(settings(ExecPolicy.ALLOW_ALL));
            }
            return judge(execution);
        }));
        assertThat(output(watched("uname", "-s"))).isEqualTo("Linux\n");
    }

    /// Bob's answer is for the workspace: it is kept if it counts, and only then.
    @Test
    void twoAnswersAtOnceOneCountsAndOnlyThatIsKept() throws Exception {
        Path file = folder.resolve("state/approvals.txt");
        for (int i = 0; i < ROUNDS; i++) {
            Session session = watched("/bin/sh", "-c", "uname -s || echo no");
            String id = question().id();
            CyclicBarrier start = new CyclicBarrier(2);
            FutureTask<@Nullable State> bob = new FutureTask<>(() -> {
                start.await();
                return answer(id, "bob", new Answer(true, Scope.WORKSPACE, null));
            });
            Thread.ofPlatform().start(bob);
            start.await();
            State ada = answer(id, "ada", Answer.DENY);
            boolean allowed = bob.get() == null;
            assertThat(allowed).as("one of two").isEqualTo(ada != null);
            assertThat(next(closed).by()).isEqualTo(allowed ? "bob" : "ada");
            assertThat(output(session)).endsWith(allowed ? "Linux\n" : "no\n");
            assertThat(Files.exists(file)).as("kept").isEqualTo(allowed);
            Files.deleteIfExists(file);
        }
        assertThat(closed).isEmpty();
    }

    // --- many programs beside a flood ---

    private static final String LINE = "0123456\n";
    private static final int LOOPS = 4;
    private static final int EACH = 250;

    @Test
    void aThousandProgramsBesideAFloodAreAllJudgedAndNoByteIsLost() throws Exception {
        Session flood = sessions().open(SessionSpec.of("yes", LINE.strip()).pipe().lossless(true));
        FutureTask<Long> reads = new FutureTask<>(() -> readAll(flood.drainer()));
        Thread.ofPlatform().start(reads);
        Session session = watched("/bin/sh", "-c", """
                loop() { i=0; while [ $i -lt %d ]; do /bin/true $1 $i || echo "failed $1 $i"; i=$((i+1)); done; }
                for n in 1 2 3 4; do loop $n & done; wait; echo end
                """.formatted(EACH));
        assertThat(output(session)).isEqualTo("end\n");
        for (int n = 1; n <= LOOPS; n++) {
            String loop = Integer.toString(n);
            // Each in the order in which its shell started them, none twice.
            assertThat(seen.stream().map(one -> one.first().words())
                    .filter(words -> words.getFirst().equals("/bin/true") && words.get(1).equals(loop))
                    .map(words -> words.get(2)))
                    .containsExactlyElementsOf(IntStream.range(0, EACH).mapToObj(Integer::toString).toList());
        }
        long before = flood.output().end();
        assertThat(before).isPositive();
        flood.signal(Signal.TERM);
        assertThat(reads.get()).isEqualTo(flood.output().end()).isGreaterThanOrEqualTo(before);
    }

    /// Reads to the end and compares every byte.
    private static long readAll(Cursor drainer) throws InterruptedException {
        long at = 0;
        while (true) {
            switch (drainer.drain(1 << 16)) {
                case ReadResult.Chunk chunk -> {
                    for (byte came : chunk.bytes()) {
                        if (came != LINE.charAt((int) (at % LINE.length()))) {
                            throw new AssertionError("wrong byte " + came + " at " + at);
                        }
                        at++;
                    }
                    if (chunk.bytes().length == 0) {
                        drainer.awaitMore(Rig.PATIENCE);
                    }
                }
                case ReadResult.Gap gap -> throw new AssertionError("bytes are lost: " + gap);
                case ReadResult.End _ -> {
                    return at;
                }
            }
        }
    }
}
