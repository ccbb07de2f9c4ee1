package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.Activity;
import dev.belay.Cursor;
import dev.belay.ErrorCode;
import dev.belay.ExitStatus;
import dev.belay.Limits;
import dev.belay.ReadResult;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Until;
import dev.belay.Waited;
import dev.belay.host.Host;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/// What the tests of the contract stand on: a workspace, a state folder and sessions that are closed after each test.
public interface Rig {
    /// How long anything may take. Reaching it is a failure, so it is generous.
    Duration PATIENCE = Duration.ofSeconds(60);

    /// The folder that sessions run in.
    Path workspace();

    /// The state folder.
    Path state();

    /// A new host at a workspace.
    Host host(Path workspace);

    /// Sessions with room for 64 and a log of 8 MiB.
    Sessions sessions();

    /// Other sessions, closed after the test.
    Sessions sessions(Limits limits);

    /// Settings for sessions of the test's own, which it hands to [#closing(Sessions)].
    Sessions.Builder builder();

    /// Closes sessions after the test.
    Sessions closing(Sessions sessions);

    default Session open(String... command) {
        return sessions().open(SessionSpec.of(command));
    }

    /// A shell script in a terminal.
    default Session shell(String script) {
        return open("/bin/sh", "-c", script);
    }

    /// A shell script on pipes.
    default Session piped(String script) {
        return sessions().open(SessionSpec.of("/bin/sh", "-c", script).pipe());
    }

    /// Waits for the exit.
    default ExitStatus exitOf(Session session) throws InterruptedException {
        return session.awaitExit(PATIENCE).orElseThrow(() -> new AssertionError(session + " does not exit"));
    }

    /// A session that its wall clock has ended, after what it had to do first: that makes a file. How long that takes is
    /// up to the machine, so the time is doubled until it was enough.
    default Session timedOut(Sessions sessions, SessionSpec spec, Path made) throws InterruptedException {
        for (Duration time = Duration.ofMillis(250);; time = time.multipliedBy(2)) {
            Session session = sessions.open(spec.timeout(time));
            Activity activity = session.activity();
            while (!session.drained()) {
                assertThat(activity.next(PATIENCE)).as("%s ends, after %s", session, time).isTrue();
            }
            if (Files.exists(made)) {
                return session;
            }
            session.close();
        }
    }

    /// Everything a session prints until its end; fails on a gap.
    default byte[] allBytesOf(Session session) throws InterruptedException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        long at = 0;
        while (true) {
            switch (session.output().read(at, 1 << 16, PATIENCE)) {
                case ReadResult.Chunk chunk -> {
                    assertThat(chunk.bytes()).as("output of %s within %s", session, PATIENCE).isNotEmpty();
                    all.writeBytes(chunk.bytes());
                    at = chunk.next();
                }
                case ReadResult.Gap gap -> throw new AssertionError("a gap in the output of " + session + ": " + gap);
                case ReadResult.End _ -> {
                    return all.toByteArray();
                }
            }
        }
    }

    default String allTextOf(Session session) throws InterruptedException {
        return new String(allBytesOf(session), StandardCharsets.UTF_8);
    }

    /// Waits for a match in what a cursor has not drained, drains up to its end, and gives the matched text.
    default String expect(Cursor cursor, String regex) throws InterruptedException {
        Waited waited = cursor.await(Until.match(regex), PATIENCE);
        assertThat(waited.fired())
                .as("%s in %s", regex, cursor.peekText(1 << 16).text())
                .isEqualTo(Waited.Fired.MATCH);
        cursor.moveTo(waited.offset());
        return waited.text();
    }

    default SessionException refused(ErrorCode code, ThrowingCallable call) {
        SessionException refusal = catchThrowableOfType(SessionException.class, call);
        assertThat(refusal).as("a refusal with %s", code).isNotNull();
        assertThat(refusal.code()).as(refusal.getMessage()).isEqualTo(code);
        return refusal;
    }

    /// Returns once a thread waits for something, at most for a time: after its last step before that.
    static void awaitWaiting(Thread thread) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(System.nanoTime()).as("%s waits", thread).isLessThan(deadline);
            assertThat(thread.isAlive()).as("%s lives", thread).isTrue();
            // Nobody tells when a thread begins to wait.
            LockSupport.parkNanos(1_000_000);
        }
    }

    /// The living processes whose environment carries a mark that begins so: `instance/` or `instance/id`.
    static List<Long> marked(String mark) throws IOException {
        List<Long> found = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                long pid = Long.parseLong(process.getFileName().toString());
                if (environment(process).contains("BELAY_SESSION=" + mark) && lives(pid)) {
                    found.add(pid);
                }
            }
        }
        return found;
    }

    private static String environment(Path process) {
        try {
            return Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
        } catch (IOException _) {
            // Gone, or somebody else's.
            return "";
        }
    }

    /// Waits for the death of a process that was killed: it comes a moment later.
    static void awaitDeath(long pid) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (lives(pid)) {
            assertThat(System.nanoTime()).as("process %d lives on", pid).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    /// Whether a process lives; one that is dead but not yet taken note of does not.
    static boolean lives(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            return state != 'Z' && state != 'X';
        } catch (java.nio.file.NoSuchFileException _) {
            return false;
        } catch (IOException e) {
            // ESRCH: it died between opening and reading.
            if (String.valueOf(e.getMessage()).contains("No such process")) {
                return false;
            }
            throw new UncheckedIOException(e);
        }
    }
}
