package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Cursor;
import dev.belay.ErrorCode;
import dev.belay.ExitStatus;
import dev.belay.Outlet;
import dev.belay.ReadResult;
import dev.belay.Resources;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Signal;
import dev.belay.Size;
import dev.belay.Until;
import dev.belay.Waited;
import dev.belay.testkit.Rig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Takes sessions through everything that the host can do while something goes wrong. Each step may be refused with a
/// sensible code. None may hang, misreport how much was written, or disturb the bystander.
final class Scenario {
    private static final int PASTE_BYTES = 200_000;
    /// Numbered lines of seven digits and a line feed.
    private static final int FLOOD_FIRST = 1_000_000;
    private static final int FLOOD_LAST = FLOOD_FIRST + 150_000;

    /// For events that may never come and need not.
    private static final Duration PATIENCE_WITHOUT_OUTPUT = Duration.ofSeconds(5);

    private final Sessions sessions;
    private final Runnable beside;
    private final Set<ErrorCode> sensible;
    private final boolean outputMayEnd;
    private final List<String> refusals = new ArrayList<>();
    private final List<String> refusedCloses = new ArrayList<>();

    /// @param beside       checks the bystander after each part
    /// @param sensible     the codes with which a step may be refused
    /// @param outputMayEnd see [Fault#endsOutput()]
    Scenario(Sessions sessions, Runnable beside, Set<ErrorCode> sensible, boolean outputMayEnd) {
        this.sessions = sessions;
        this.beside = beside;
        this.sensible = sensible;
        this.outputMayEnd = outputMayEnd;
    }

    /// A session ended before it printed what was expected.
    private static final class Cut extends Exception {
        private static final long serialVersionUID = 1;

        Cut(String what) {
            super(what);
        }
    }

    private interface Part {
        void play(Session session) throws InterruptedException, Cut;
    }

    /// All refusals except those of closes.
    List<String> refusals() {
        return refusals;
    }

    List<String> refusedCloses() {
        return refusedCloses;
    }

    void play() throws InterruptedException {
        part("terminal", SessionSpec.of("/bin/sh", "-c", TERMINAL_SCRIPT), this::terminal);
        part("pipe", SessionSpec.of("/bin/sh", "-c", "cat; echo end >&2").pipe(), this::pipe);
        part("survivor", SessionSpec.of("/bin/sh", "-c", "sleep 1000 & exit 0").pipe(), this::survivor);
        part("stubborn", SessionSpec.of("/bin/sh", "-c", STUBBORN_SCRIPT), session -> expect(session.cursor(), "up"));
        SessionSpec limited = SessionSpec.of("/bin/sh", "-c", "ulimit -n");
        part("limited", limited.resources(Resources.AS_BELAY.openFiles(64L)), this::limited);
        SessionSpec flood = SessionSpec.of("seq", "" + FLOOD_FIRST, "" + FLOOD_LAST);
        part("lossless", flood.pipe().lossless(true), this::lossless);
    }

    private void part(String name, SessionSpec spec, Part part) throws InterruptedException {
        try {
            Session session = sessions.open(spec);
            try {
                part.play(session);
            } finally {
                close(name, session);
            }
        } catch (SessionException e) {
            assertThat(e.code()).as("%s: %s", name, e).isIn(sensible);
            refusals.add(name + ": " + e.code() + ": " + e.getMessage());
        } catch (Cut e) {
            refusals.add(name + ": " + e.getMessage());
        }
        beside.run();
    }

    private void close(String name, Session session) {
        try {
            session.close();
        } catch (SessionException e) {
            assertThat(e.code()).as("close of %s: %s", name, e).isEqualTo(ErrorCode.UNAVAILABLE);
            refusedCloses.add(name + ": " + e.getMessage());
        }
    }

    // --- parts ---

    private static final String TERMINAL_SCRIPT = """
            trap 'echo interrupted' INT; trap 'echo told' USR1
            stty -echo; echo ready
            while true; do
              IFS= read -r line || continue
              case $line in
                size) stty size;;
                job) set -m; sh -c 'echo job; exec sleep 1000'; set +m; echo over;;
                quit) exit 3;;
                *) echo "got:$line";;
              esac
            done
            """;

    private void terminal(Session session) throws InterruptedException, Cut {
        Cursor cursor = session.cursor();
        expect(cursor, "ready");
        assertThat(session.inputState()).isNotNull();
        type(session, "hello");
        expect(cursor, "got:hello");
        session.resize(new Size(100, 30));
        type(session, "size");
        expect(cursor, "30 100");
        awaitRead(session);
        session.signal(Signal.INT);
        expect(cursor, "interrupted");
        awaitRead(session);
        session.signal(Signal.of("USR1"));
        expect(cursor, "told");
        type(session, "job");
        expect(cursor, "job");
        session.signal(Signal.TERM);
        expect(cursor, "over");
        type(session, "quit");
        ExitStatus exit = exitOf(session);
        if (exit.code() != 3) {
            throw new Cut("exit " + exit);
        }
    }

    /// Waits until the shell sleeps without children, so in read(2). A signal that arrives just before dash enters
    /// read(2) does not interrupt it, and its trap runs only after the next line.
    private static void awaitRead(Session session) {
        Path process = Path.of("/proc", Long.toString(session.snapshot().pid()));
        long deadline = System.nanoTime() + Rig.PATIENCE.toNanos();
        while (!sleepsAlone(process)) {
            assertThat(System.nanoTime()).as("the shell reads").isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static boolean sleepsAlone(Path process) {
        try {
            String stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
            Path leader = process.resolve("task").resolve(process.getFileName());
            String children = Files.readString(leader.resolve("children"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'S' && children.isEmpty();
        } catch (IOException _) {
            // It has ended; the step that follows notices.
            return true;
        }
    }

    private static void type(Session session, String line) throws InterruptedException, Cut {
        int taken = session.writeLine(line);
        if (taken != line.length() + 1) {
            throw new Cut("only " + taken + " bytes of a line were taken");
        }
    }

    private void pipe(Session session) throws InterruptedException, Cut {
        byte[] paste = new byte[PASTE_BYTES];
        new Random(1).nextBytes(paste);
        int taken = 0;
        try {
            taken = session.write(paste, Rig.PATIENCE);
        } finally {
            session.closeInput();
        }
        ExitStatus exit = exitOf(session);
        byte[] came = outputOf(session, Outlet.STDOUT);
        if (exit.code() == 0) {
            assertThat(came).as("what was written")
                    .isEqualTo(Arrays.copyOf(paste, outputMayEnd ? came.length : taken));
        }
        if (exit.code() != 0 || came.length != PASTE_BYTES
                || !"end\n".equals(new String(outputOf(session, Outlet.STDERR), StandardCharsets.UTF_8))) {
            throw new Cut(exit + ", " + taken + " bytes taken");
        }
    }

    private void survivor(Session session) throws InterruptedException, Cut {
        exitOf(session);
        assertThat(session.snapshot().survivors()).as("survivors").isEqualTo(1);
    }

    private static final String STUBBORN_SCRIPT = """
            trap '' HUP TERM
            (setsid sleep 1000 &)
            echo up
            while true; do sleep 1000; done
            """;

    private void limited(Session session) throws InterruptedException, Cut {
        expect(session.cursor(), "64");
        exitOf(session);
    }

    private void lossless(Session session) throws InterruptedException, Cut {
        Cursor drainer = session.drainer();
        byte[] all = IntStream.rangeClosed(FLOOD_FIRST, FLOOD_LAST)
                .mapToObj(number -> number + "\n")
                .collect(Collectors.joining())
                .getBytes(StandardCharsets.US_ASCII);
        int came = 0;
        while (true) {
            switch (drainer.drain(50_000)) {
                case ReadResult.Chunk chunk -> {
                    int next = came + chunk.bytes().length;
                    assertThat(next).as("bytes").isLessThanOrEqualTo(all.length);
                    assertThat(chunk.bytes()).as("from %d on", came).isEqualTo(Arrays.copyOfRange(all, came, next));
                    came = next;
                    if (chunk.bytes().length == 0) {
                        assertThat(drainer.awaitMore(Rig.PATIENCE)).as("more after %d bytes", came).isTrue();
                    }
                }
                case ReadResult.Gap gap -> throw new AssertionError("a lossless session lost bytes: " + gap);
                case ReadResult.End end -> {
                    if (came != all.length || end.exit().code() != 0) {
                        throw new Cut(came + " bytes, " + end.exit());
                    }
                    return;
                }
            }
        }
    }

    // --- steps ---

    private void expect(Cursor cursor, String text) throws InterruptedException, Cut {
        Waited waited = cursor.await(Until.match(text), outputMayEnd ? PATIENCE_WITHOUT_OUTPUT : Rig.PATIENCE);
        switch (waited.fired()) {
            case MATCH -> cursor.moveTo(waited.offset());
            case EXIT -> throw new Cut("the session ended before it said " + text);
            default -> {
                String missing = "no " + text + " in " + cursor.peekText(1 << 16).text();
                // A process that ignores the hang-up lives on, and nobody reads its output any more.
                assertThat(outputMayEnd).as(missing).isTrue();
                throw new Cut(missing);
            }
        }
    }

    private static ExitStatus exitOf(Session session) throws InterruptedException {
        return session.awaitExit(Rig.PATIENCE).orElseThrow(() -> new AssertionError("no exit"));
    }

    private static byte[] outputOf(Session session, Outlet outlet) throws InterruptedException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (long at = 0; session.output().read(at, 1 << 16, Rig.PATIENCE) instanceof ReadResult.Chunk chunk;) {
            assertThat(chunk.bytes()).as("output").isNotEmpty();
            if (chunk.outlet() == outlet) {
                all.writeBytes(chunk.bytes());
            }
            at = chunk.next();
        }
        return all.toByteArray();
    }
}
