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
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;

/// What acts use to open sessions, read and check. Closes after an act what it left open. Belongs to one worker thread.
final class Player {
    /// Small logs, so that floods lose their beginning; short graces; few retained sessions.
    static final Limits LIMITS = Limits.DEFAULT
            .logBytes(256 << 10)
            .closeGrace(Duration.ofMillis(100))
            .maxRetained(40);

    /// The longest that anything may take. Generous, because reaching it is a failure.
    static final Duration PATIENCE = Duration.ofSeconds(60);
    /// How long processes sleep that are to be ended. No other process on the machine sleeps this long.
    static final String FOREVER = "100000." + ProcessHandle.current().pid();

    final Sessions sessions;
    final Random random;
    final Path folder;
    private final int worker;
    private final AtomicLong opened;
    private final List<Session> open = new ArrayList<>();
    private long number;

    Player(Sessions sessions, Random random, Path folder, int worker, AtomicLong opened) {
        this.sessions = sessions;
        this.random = random;
        this.folder = folder;
        this.worker = worker;
        this.opened = opened;
    }

    // --- open ---

    /// A unique name.
    String name() {
        return "w" + worker + "-" + number++;
    }

    Session open(SessionSpec spec) {
        Session session = sessions.open(spec);
        opened.incrementAndGet();
        open.add(session);
        return session;
    }

    Session shell(String script) {
        return open(SessionSpec.of("/bin/sh", "-c", script));
    }

    Session piped(String script) {
        return open(SessionSpec.of("/bin/sh", "-c", script).pipe());
    }

    /// Runs a script in a terminal or on pipes, at random.
    Session either(String script) {
        return random.nextBoolean() ? shell(script) : piped(script);
    }

    void opened(Session session) {
        opened.incrementAndGet();
        open.add(session);
    }

    /// Leaves an exited session for Belay to forget.
    void leave(Session session) {
        open.remove(session);
    }

    void close(Session session) {
        open.remove(session);
        session.close(random.nextBoolean());
    }

    /// Called after each act, even a failed one.
    void tidy() {
        Thread.interrupted();
        for (Session session : open) {
            session.close(true);
        }
        open.clear();
    }

    // --- expect ---

    static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    static void same(Object actual, Object expected, String what) {
        require(actual.equals(expected), what + ": expected <" + expected + ">, but was <" + actual + ">");
    }

    ExitStatus exit(Session session) throws InterruptedException {
        return session.awaitExit(PATIENCE).orElseThrow(() -> new AssertionError(session.snapshot() + " does not exit"));
    }

    void exits(Session session, int code) throws InterruptedException {
        same(exit(session).code(), code, "exit code of " + session.spec().command());
    }

    void expect(Cursor cursor, String regex) throws InterruptedException {
        Waited waited = cursor.await(Until.match(regex), PATIENCE);
        require(
                waited.fired() == Waited.Fired.MATCH,
                regex + ": " + waited.fired() + " in <" + cursor.peekText(1000).text() + ">");
        cursor.moveTo(waited.offset());
    }

    /// The whole output, which must have no gap.
    String text(Session session) throws InterruptedException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        long at = 0;
        while (true) {
            switch (session.output().read(at, 1 << 16, PATIENCE)) {
                case ReadResult.Chunk chunk -> {
                    require(chunk.bytes().length > 0, "no output at " + at + " of " + session.snapshot());
                    all.writeBytes(chunk.bytes());
                    at = chunk.next();
                }
                case ReadResult.Gap gap -> throw new AssertionError("a gap: " + gap);
                case ReadResult.End _ -> {
                    return all.toString(StandardCharsets.UTF_8);
                }
            }
        }
    }

    void prints(Session session, String expected) throws InterruptedException {
        same(text(session), expected, "output of " + session.spec().command());
    }

    void refused(ErrorCode code, Callable<?> call) throws Exception {
        try {
            Object result = call.call();
            if (result instanceof Session session) {
                opened(session);
            }
        } catch (SessionException e) {
            same(e.code(), code, e.toString());
            return;
        }
        throw new AssertionError("not refused with " + code);
    }
}
