package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Cursor;
import dev.belay.ErrorCode;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Until;
import dev.belay.Waited;
import dev.belay.Waited.Fired;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// Waiting for output, silence and exits.
public interface WaitContract extends Rig {
    @Test
    default void aMatchSaysWhereItEnded() throws InterruptedException {
        Session session = piped("printf 'one two three'");
        Waited waited = session.cursor().await(Until.match("t.o"), PATIENCE);
        assertThat(waited).isEqualTo(new Waited(Fired.MATCH, 7, "two"));
    }

    @Test
    default void aMatchMaySpanChunksAndEscapeSequences() throws InterruptedException {
        Session session = piped(
                "printf 'pass\\033[1'; read x; printf ';31mwo'; read x; printf 'rd\\033]0;title\\007: '; read x");
        Cursor cursor = session.cursor();
        cursor.await(Until.offset(7), PATIENCE);
        session.writeLine("");
        cursor.await(Until.offset(13), PATIENCE);
        session.writeLine("");
        Waited waited = cursor.await(Until.match("password: "), PATIENCE);
        assertThat(waited.fired()).isEqualTo(Fired.MATCH);
        assertThat(waited.text()).isEqualTo("password: ");
        assertThat(waited.offset()).isEqualTo(session.output().end());
    }

    @Test
    default void aQuietTimeIsSeen() throws InterruptedException {
        Session session = shell("echo working; sleep 1000");
        Waited waited = session.cursor().await(Until.idle(Duration.ofMillis(100)), PATIENCE);
        assertThat(waited.fired()).isEqualTo(Fired.IDLE);
    }

    @Test
    default void theExitIsSeenAfterTheLastByte() throws InterruptedException {
        Session session = piped("seq 1 20000; exit 4");
        Waited waited = session.cursor().await(Until.exited(), PATIENCE);
        assertThat(waited).isEqualTo(new Waited(Fired.EXIT, 108_894, ""));
    }

    @Test
    default void anOffsetIsSeen() throws InterruptedException {
        Session session = piped("printf 12345; exec sleep 1000");
        assertThat(session.cursor().await(Until.offset(5), PATIENCE).fired()).isEqualTo(Fired.OFFSET);
    }

    @Test
    default void aTimeThatRunsOutIsAnAnswerNotAnError() throws InterruptedException {
        Session session = open("cat");
        assertThat(session.cursor().await(Until.match("never"), Duration.ofMillis(50)).fired())
                .isEqualTo(Fired.TIMEOUT);
    }

    @Test
    default void theFirstOfSeveralEndsTheWait() throws InterruptedException {
        Until any = Until.match("yes").orIdle(Duration.ofSeconds(30)).orExited();
        assertThat(piped("echo yes; exec sleep 1000").cursor().await(any, PATIENCE).fired()).isEqualTo(Fired.MATCH);
        assertThat(piped("echo no").cursor().await(any, PATIENCE).fired()).isEqualTo(Fired.EXIT);
        assertThat(piped("echo yes").cursor().await(any, PATIENCE).fired())
                .as("a match comes before the exit")
                .isEqualTo(Fired.MATCH);
    }

    @Test
    default void aWaitForAMatchEndsWhenNothingMoreCanCome() throws InterruptedException {
        assertThat(piped("echo no").cursor().await(Until.match("yes"), PATIENCE).fired()).isEqualTo(Fired.EXIT);
    }

    @Test
    default void hostileExpressionsCannotHang() throws InterruptedException {
        Session session =
                sessions().open(SessionSpec.of("/bin/sh", "-c", "yes ab | tr -d '\\n' | head -c 40000").pipe());
        exitOf(session);
        for (String hostile : new String[] {"(.*a){20}c", "(a|b)*c", "(a*)*c", "(?:a?){30}a{30}c", "(x+x+)+y"}) {
            assertThat(session.cursor().await(Until.match(hostile), PATIENCE).fired())
                    .as("%s handles the whole output in linear time", hostile)
                    .isEqualTo(Fired.EXIT);
        }
        refused(ErrorCode.INVALID_REQUEST, () -> Until.match("((a{500}){500}){500}"));
        refused(ErrorCode.INVALID_REQUEST, () -> Until.match("(unclosed"));
        refused(ErrorCode.INVALID_REQUEST, () -> Until.match("x".repeat(1001)));
        refused(ErrorCode.INVALID_REQUEST, () -> Until.match("(a)\\1"));
    }

    @Test
    default void aReplIsDrivenByWhatItPrints() throws InterruptedException {
        Session python = open("python3", "-q");
        Cursor cursor = python.drainer();
        expect(cursor, ">>> ");
        python.writeLine("x = 6 * 7");
        expect(cursor, ">>> ");
        python.writeLine("print('answer', x)");
        assertThat(expect(cursor, "answer \\d+")).isEqualTo("answer 42");
        python.writeLine("exit(9)");
        assertThat(exitOf(python).code()).isEqualTo(9);
    }
}
