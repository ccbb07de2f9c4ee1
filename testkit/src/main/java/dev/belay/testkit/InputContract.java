package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Activity;
import dev.belay.Cursor;
import dev.belay.InputState;
import dev.belay.Session;
import dev.belay.SessionSpec;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/// Whether a program waits for input.
public interface InputContract extends Rig {
    InputState WAITING = new InputState(true, false);
    InputState PASSWORD = new InputState(true, true);

    /// Waits until a session is in a state. There is no event when a program begins to read, so this looks repeatedly.
    /// The time between a prompt and its read depends on the machine.
    default void comesTo(Session session, InputState expected) throws InterruptedException {
        Instant end = Instant.now().plus(PATIENCE);
        Activity activity = session.activity();
        InputState seen = session.awaitInputState(PATIENCE);
        while (!seen.equals(expected) && Instant.now().isBefore(end)) {
            activity.next(Duration.ofMillis(5));
            seen = session.awaitInputState(PATIENCE);
        }
        assertThat(seen).as("%s: %s", session, session.cursor().peekText(1 << 12).text()).isEqualTo(expected);
    }

    /// Waits for a prompt, then until the program waits for the answer.
    default void prompts(Session session, String regex, InputState expected) throws InterruptedException {
        expect(session.drainer(), regex);
        comesTo(session, expected);
    }

    /// Fails if a session waits for input at any time after it has printed this.
    default void isBusyAfter(Session session, String regex) throws InterruptedException {
        expect(session.drainer(), regex);
        for (int look = 0; look < 20; look++) {
            assertThat(session.inputState()).isEqualTo(InputState.NOBODY);
        }
        assertThat(session.awaitInputState(PATIENCE)).isEqualTo(InputState.NOBODY);
    }

    @Test
    default void aShellWaitsAtItsPromptAndNotWhileItsCommandRuns() throws InterruptedException {
        Session bash = sessions().open(SessionSpec.of("bash", "--norc", "--noprofile", "-i").env("PS1", "ready> "));
        prompts(bash, "ready> ", WAITING);
        // The command itself prints this, so it has the terminal.
        bash.writeLine("sh -c 'echo go\"\"es; exec sleep 1000'");
        isBusyAfter(bash, "goes");
        bash.interrupt();
        prompts(bash, "ready> ", WAITING);
        // A background job does not count as waiting.
        bash.writeLine("sleep 1000 & echo 'now ''cat'; cat");
        prompts(bash, "now cat", WAITING);
        bash.writeLine("twice");
        expect(bash.drainer(), "twice\\s+twice");
        comesTo(bash, WAITING);
        bash.interrupt();
        prompts(bash, "ready> ", WAITING);
        bash.writeLine("exit");
        exitOf(bash);
        assertThat(bash.inputState()).isEqualTo(InputState.NOBODY);
    }

    @Test
    default void aReplWaitsAtItsPrompt() throws InterruptedException {
        Session python = open("python3", "-q");
        prompts(python, ">>> ", WAITING);
        python.writeLine("print('go' + 'es', flush=True); exec('while True: pass')");
        isBusyOrRawAfter(python, "goes");
    }

    /// A program that computes while its terminal is raw may be about to read, so the answer is only that it is not
    /// seen waiting.
    private void isBusyOrRawAfter(Session session, String regex) throws InterruptedException {
        expect(session.drainer(), regex);
        assertThat(session.awaitInputState(PATIENCE).seenWaiting()).isFalse();
    }

    @Test
    default void aPlainReadIsSeen() throws InterruptedException {
        prompts(open("python3", "-c", "input('name? ')"), "name\\? ", WAITING);
        prompts(shell("printf 'name? '; read name"), "name\\? ", WAITING);
        comesTo(open("cat"), WAITING);
        comesTo(open("/bin/sh", "-c", "cat < /dev/tty"), WAITING);
    }

    @Test
    default void aPasswordPromptIsToldFromOthers() throws InterruptedException {
        Session getpass = open("python3", "-c", "import getpass; getpass.getpass('Password: '); input('name? ')");
        prompts(getpass, "Password: ", PASSWORD);
        getpass.writeLine("secret");
        prompts(getpass, "name\\? ", WAITING);
        prompts(open("bash", "-c", "read -s -p 'Secret: ' x"), "Secret: ", PASSWORD);
    }

    @Test
    default void aProgramThatWaitsForSomethingElseIsNotSeenToWait() throws InterruptedException {
        isBusyAfter(shell("echo goes; while :; do :; done"), "goes");
        isBusyAfter(shell("echo goes; exec sleep 1000"), "goes");
        isBusyAfter(open("python3", "-c", "import os; r, w = os.pipe(); print('goes', flush=True); os.read(r, 1)"),
                "goes");
        isBusyAfter(open("python3", "-c", """
                import select, socket
                s = socket.socket()
                s.bind(('127.0.0.1', 0))
                s.listen()
                print('goes', flush=True)
                select.select([s], [], [])"""), "goes");
    }

    @Test
    default void aReaderInAPipelineIsSeen() throws InterruptedException {
        comesTo(shell("cat | sleep 1000"), WAITING);
    }

    @Test
    default void onPipesAReadOfStandardInputIsSeen() throws InterruptedException {
        Session session = piped("read first; echo goes; sleep 0; exec sleep 1000");
        comesTo(session, WAITING);
        session.writeLine("");
        isBusyAfter(session, "goes");
        Session closed = piped("exec sleep 1000");
        closed.closeInput();
        assertThat(closed.inputState()).isEqualTo(InputState.NOBODY);
    }

    @Test
    default void whoNoLongerRunsWaitsForNothing() throws InterruptedException {
        Session session = shell("exit 3");
        exitOf(session);
        assertThat(session.inputState()).isEqualTo(InputState.NOBODY);
        assertThat(session.awaitInputState(PATIENCE)).isEqualTo(InputState.NOBODY);
        Session held = piped("sleep 1000 & exit 0");
        exitOf(held);
        assertThat(held.awaitInputState(PATIENCE)).isEqualTo(InputState.NOBODY);
        held.close(true);
        assertThat(held.inputState()).isEqualTo(InputState.NOBODY);
    }

    @Test
    default void aSessionThatNeverComesToRestIsAnsweredForInTime() throws InterruptedException {
        Session session = shell("while :; do echo noise; done");
        expect(session.cursor(), "noise");
        assertThat(session.awaitInputState(Duration.ofMillis(50))).isEqualTo(InputState.NOBODY);
        assertThat(session.awaitInputState(Duration.ZERO)).isEqualTo(InputState.NOBODY);
    }

    @Test
    default void theStateFollowsAConversation() throws InterruptedException {
        Session session = shell("while read line; do echo \"got $line\"; done");
        Cursor cursor = session.drainer();
        for (int round = 0; round < 20; round++) {
            comesTo(session, WAITING);
            session.writeLine("round" + round);
            expect(cursor, "got round" + round);
        }
    }
}
