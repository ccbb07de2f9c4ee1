package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Session;
import dev.belay.Until;
import dev.belay.Waited;
import dev.belay.screens.Screens;
import dev.belay.screens.ScreensLimits;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What programs ask their terminal is answered exactly once, whether or not anybody watches.
@Tag("any-user")
class QuestionsTest extends WithServer {
    /// Asks where the cursor is and what the terminal is, in turns, then tells what else it has read until `END`.
    private static final String ASKS = """
            import os, re, sys, time, tty
            tty.setraw(0)
            bad = 0
            for i in range(int(sys.argv[1])):
                asked, answer = [(b"\\x1b[6n", rb"\\x1b\\[\\d+;\\d+R"), (b"\\x1b[c", rb"\\x1b\\[\\?[\\d;]+c")][i % 2]
                os.write(1, asked)
                read = b""
                while not read.endswith(asked[-1:] if i % 2 else b"R"):
                    read += os.read(0, 1)
                bad += not re.fullmatch(answer, read)
                os.write(1, b"%d asked\\r\\n" % (i + 1))
                time.sleep(0.01)
            os.write(1, b"all done\\r\\n")
            rest = b""
            while not rest.endswith(b"END"):
                rest += os.read(0, 1)
            os.write(1, b"bad %d, more %d: done\\r\\n" % (bad, len(rest) - 3))
            """;

    /// However busy the machine is, no question counts as too old.
    @Override
    Server.Builder refine(Server.Builder builder) {
        return builder.screens(new Screens(sessions, ScreensLimits.DEFAULT
                .lateAfter(PATIENCE).replyWithin(PATIENCE).repliesPerSecond(100_000)));
    }

    @BeforeEach
    void writeProgram() throws Exception {
        Files.writeString(folder.resolve("workspace/ask.py"), ASKS);
    }

    private Session ask(int times) throws Exception {
        return sessions.get(api.open(ALICE, "exec python3 ask.py " + times));
    }

    private void requireOnce(Session session, int times) throws Exception {
        Waited all = session.cursor(0).await(Until.match("all done"), PATIENCE);
        assertThat(all.fired()).as("every question was answered").isEqualTo(Waited.Fired.MATCH);
        api.post(ALICE, "/api/sessions/" + session.id() + "/input", "END");
        session.cursor(all.offset()).await(Until.match("more \\d+: done"), PATIENCE);
        assertThat(api.get(ALICE, "/api/sessions/" + session.id() + "/output?from=" + all.offset()).text())
                .contains("bad 0, more 0: done");
        assertThat(server.screens().stats().answers()).isEqualTo(times);
    }

    @Test
    void aSessionThatNobodyEverWatchedIsAnsweredOnce() throws Exception {
        requireOnce(ask(100), 100);
        assertThat(server.screens().stats().masks()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void viewersThatReloadAtRandomAnswerNothing(int viewers) throws Exception {
        Session session = ask(150);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> reloads = new ArrayList<>();
            for (int i = 0; i < viewers; i++) {
                Random random = new Random(i);
                Callable<Integer> socket = () -> reload(session, random);
                reloads.add(threads.submit(socket));
            }
            Node.run("library.js", server.address(), ALICE, "pages", session.id(), "" + viewers);
            for (Future<Integer> one : reloads) {
                assertThat(one.get()).isPositive();
            }
        }
        requireOnce(session, 150);
    }

    /// Comes and goes over WebSocket until all was asked.
    private int reload(Session session, Random random) throws Exception {
        int times = 0;
        boolean last = false;
        while (!last) {
            String how = random.nextBoolean() ? "?from=0" : "?screen=1&skip=65536";
            try (Socket viewer = Socket.attach(http, server.address(), ALICE, session.id(), how)) {
                viewer.next();
                StringBuilder seen = new StringBuilder();
                for (int i = random.nextInt(20); i >= 0 && !last; i--) {
                    seen.append(viewer.next().text());
                    last = seen.indexOf("all done") >= 0;
                }
                assertThat(seen).doesNotContain("\033[6n").doesNotContain("\033[c");
                times++;
            }
        }
        return times;
    }

    @Test
    void aViewerThatIsATerminalItselfAnswersUntilItLeaves() throws Exception {
        String id = api.open(ALICE, "stty raw -echo; printf up; for i in 1 2; do head -c 1 >/dev/null;"
                + " printf '\\033[6n'; head -c 6 | cat -v; printf ' read\\r\\n'; done; head -c 1");
        try (Socket plain = Socket.attach(http, server.address(), ALICE, id, "?from=0")) {
            plain.until("up");
            try (Socket terminal = Socket.attach(http, server.address(), ALICE, id, "?screen=1&answers=viewer")) {
                terminal.next(8);
                plain.type("x");
                terminal.until("\033[6n");
                terminal.send(0x10, "\033[7;7R".getBytes(StandardCharsets.UTF_8));
                assertThat(plain.until("read")).contains("\0\0\0\0^[[7;7R").doesNotContain("\033");
            }
            while (server.viewers().list().size() > 1) {
                Thread.onSpinWait();
            }
            plain.type("x");
            assertThat(plain.until("read")).contains("^[[2;1R");
        }
    }
}
