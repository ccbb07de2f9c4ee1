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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/// The test rig of the contract: a workspace, a state folder, and sessions that are closed after each test.
public interface Rig {
    /// The longest that anything may take. Generous, because reaching it is a failure.
    Duration PATIENCE = Duration.ofSeconds(60);

    Path workspace();

    Path state();

    /// A new host at a workspace.
    Host host(Path workspace);

    /// How often to repeat what goes wrong rarely. A host that shares its code with another one, for which the
    /// contract runs as well, and whose sessions cost more may repeat less.
    default int times(int most) {
        return most;
    }

    /// Sessions with room for 64 and a log of 8 MiB.
    Sessions sessions();

    /// Sessions with other limits, closed after the test.
    Sessions sessions(Limits limits);

    /// A builder for a test's own sessions, which it passes to [#closing(Sessions)].
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

    default ExitStatus exitOf(Session session) throws InterruptedException {
        return session.awaitExit(PATIENCE).orElseThrow(() -> new AssertionError(session + " does not exit"));
    }

    /// A session that its timeout has ended, after it made a file. How long that takes depends on the machine, so the
    /// timeout is doubled until it is long enough.
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

    /// Everything that a session prints until its end. Fails on a gap.
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

    /// Waits for a match in what a cursor has not drained, drains up to the end of the match and returns the matched
    /// text.
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

    /// Returns once a thread is in a timed wait, and so has done everything before it.
    static void awaitWaiting(Thread thread) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(System.nanoTime()).as("%s waits", thread).isLessThan(deadline);
            assertThat(thread.isAlive()).as("%s lives", thread).isTrue();
            // There is no event when a thread begins to wait.
            LockSupport.parkNanos(1_000_000);
        }
    }

    /// The living processes whose mark in the environment begins like this: `instance/` or `instance/id/`.
    static List<Long> marked(String mark) throws IOException {
        List<Long> found = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                long pid = Long.parseLong(process.getFileName().toString());
                if (text(process, "environ").contains("BELAY_SESSION=" + mark) && lives(pid)) {
                    found.add(pid);
                }
            }
        }
        return found;
    }

    /// The living processes with a word on their command line. Lists them until nobody new appears: one that forks and
    /// exits while they are listed would show neither itself nor its child.
    static List<Long> named(String word) throws IOException {
        List<Long> found = new ArrayList<>();
        Set<Long> seen = new HashSet<>();
        boolean fresh = true;
        while (fresh) {
            fresh = false;
            try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
                for (Path process : processes) {
                    long pid = Long.parseLong(process.getFileName().toString());
                    if (seen.add(pid) && text(process, "cmdline").contains(word)) {
                        fresh = true;
                        found.add(pid);
                    }
                }
            }
        }
        return found.stream().filter(Rig::lives).toList();
    }

    private static String text(Path process, String file) {
        try {
            return Files.readString(process.resolve(file), StandardCharsets.ISO_8859_1);
        } catch (IOException _) {
            // Gone, or another user's.
            return "";
        }
    }

    /// Waits for a killed process to die, which takes a moment.
    static void awaitDeath(long pid) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (lives(pid)) {
            assertThat(System.nanoTime()).as("process %d is still alive", pid).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    /// Whether a process is alive; a zombie is not.
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
