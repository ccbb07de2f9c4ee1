package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.ErrorCode;
import dev.belay.Limits;
import dev.belay.Mode;
import dev.belay.ReadResult;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionRecord;
import dev.belay.SessionSpec;
import dev.belay.SessionState;
import dev.belay.Sessions;
import dev.belay.Size;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/// Opening sessions.
public interface OpenContract extends Rig {
    @Test
    default void aCommandRunsInATerminalOfItsSize() throws InterruptedException {
        Session session = sessions().open(SessionSpec.of("/bin/sh", "-c", "tty; stty size").size(132, 43));
        assertThat(allTextOf(session)).matches("(?s)/dev/pts/\\d+\r\n43 132\r\n");
        assertThat(exitOf(session).code()).isZero();
    }

    @Test
    default void pixelsReachTheTerminal() throws InterruptedException {
        Mode pixels = new Mode.Pty(new Size(100, 30, 800, 600));
        String program = "import fcntl,termios,struct;"
                + "print(struct.unpack('HHHH',fcntl.ioctl(0,termios.TIOCGWINSZ,b'\\0'*8)))";
        Session session = sessions().open(SessionSpec.of("python3", "-c", program).mode(pixels));
        assertThat(allTextOf(session)).contains("(30, 100, 800, 600)");
    }

    @Test
    default void pipesKeepStandardOutputAndErrorApartInOrderOfArrival() throws InterruptedException {
        Session session = piped("echo one; read x; echo two >&2; read x; echo three");
        expect(session.cursor(), "one");
        session.writeLine("");
        expect(session.cursor(), "two");
        session.writeLine("");
        assertThat(allTextOf(session)).isEqualTo("one\ntwo\nthree\n");
        assertThat(chunk(session, 0)).isEqualTo("STDOUT one\n");
        assertThat(chunk(session, 4)).isEqualTo("STDERR two\n");
        assertThat(chunk(session, 8)).isEqualTo("STDOUT three\n");
    }

    private static String chunk(Session session, long from) {
        ReadResult.Chunk chunk = (ReadResult.Chunk) session.output().read(from, 100);
        return chunk.outlet() + " " + new String(chunk.bytes(), java.nio.charset.StandardCharsets.UTF_8);
    }

    @Test
    default void theRecordShowsWhatWasAskedFor() throws IOException {
        Files.createDirectories(workspace().resolve("src/deep"));
        Session session = sessions().open(SessionSpec.of("cat", "-u")
                .id("build-1")
                .workdir("src/../src/deep")
                .owner("alice")
                .label("task", "7"));
        SessionRecord record = session.snapshot();
        assertThat(record.id()).isEqualTo("build-1");
        assertThat(record.backend()).isEqualTo("pty");
        assertThat(record.command()).isEqualTo("cat");
        assertThat(record.args()).containsExactly("-u");
        assertThat(record.workdir()).isEqualTo("src/deep");
        assertThat(record.cols()).isEqualTo(80);
        assertThat(record.rows()).isEqualTo(24);
        assertThat(record.owner()).isEqualTo("alice");
        assertThat(record.labels()).containsEntry("task", "7");
        assertThat(record.state()).isEqualTo(SessionState.RUNNING);
        assertThat(record.exitCode()).isNull();
        assertThat(record.endReason()).isNull();
        assertThat(Rig.lives(record.pid())).isTrue();
    }

    @Test
    default void everyChildCarriesTheMarkAndATerminalType() throws InterruptedException {
        Session session = sessions().open(SessionSpec.of("/bin/sh", "-c", "echo $BELAY_SESSION $TERM $MINE")
                .id("marked")
                .env("MINE", "yes"));
        assertThat(session.identity()).startsWith(sessions().instance() + "/marked/");
        assertThat(allTextOf(session)).isEqualTo(session.identity() + " xterm-256color yes\r\n");
    }

    @Test
    default void anEmptyCommandAndBadIdsAreRefused() {
        refused(ErrorCode.INVALID_REQUEST, () -> SessionSpec.of());
        refused(ErrorCode.INVALID_REQUEST, () -> SessionSpec.of(""));
        for (String id : List.of("", "a b", "../x", "a/b", "ü", "x".repeat(129))) {
            refused(ErrorCode.INVALID_REQUEST, () -> SessionSpec.of("true").id(id));
        }
        refused(ErrorCode.INVALID_REQUEST, () -> SessionSpec.of("a\0b"));
    }

    @Test
    default void ofTwoConcurrentOpensWithOneIdExactlyOneWins() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 0; round < 50; round++) {
                String id = "twin-" + round;
                AtomicBoolean go = new AtomicBoolean();
                Callable<Boolean> open = () -> {
                    while (!go.get()) {
                        Thread.onSpinWait();
                    }
                    try {
                        sessions().open(SessionSpec.of("cat").id(id));
                        return true;
                    } catch (SessionException e) {
                        assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_EXISTS);
                        return false;
                    }
                };
                sessions();
                Future<Boolean> one = threads.submit(open);
                Future<Boolean> other = threads.submit(open);
                go.set(true);
                assertThat(one.get() ^ other.get()).as("exactly one of two").isTrue();
                sessions().get(id).close(true);
            }
        }
    }

    @Test
    default void aMissingFolderIsNamed() {
        SessionException refusal = refused(
                ErrorCode.NOT_FOUND, () -> sessions().open(SessionSpec.of("true").workdir("no/such")));
        assertThat(refusal).hasMessageContaining("no/such");
    }

    @Test
    default void aFileIsNotAFolder() throws IOException {
        Files.writeString(workspace().resolve("file"), "");
        refused(ErrorCode.INVALID_REQUEST, () -> sessions().open(SessionSpec.of("true").workdir("file")));
    }

    @Test
    default void foldersOutsideTheWorkspaceAreRefusedHoweverTheyAreNamed() throws IOException {
        Files.createSymbolicLink(workspace().resolve("out"), Path.of("/"));
        Files.createSymbolicLink(workspace().resolve("up"), Path.of(".."));
        Files.createSymbolicLink(workspace().resolve("proc"), Path.of("/proc/self/root"));
        for (String outside : List.of("..", "../..", "a/../../b", "/", "/etc", "out", "out/etc", "up", "up/x",
                "proc")) {
            Files.createDirectories(workspace().resolve("a"));
            refused(
                    ErrorCode.OUTSIDE_WORKSPACE,
                    () -> sessions().open(SessionSpec.of("true").workdir(outside)));
        }
        assertThat(sessions().stats().permitsUsed()).isZero();
    }

    @Test
    default void foldersInsideTheWorkspaceMayBeNamedAbsolutelyOrThroughLinksWithin()
            throws IOException, InterruptedException {
        Files.createDirectories(workspace().resolve("real"));
        Files.createSymbolicLink(workspace().resolve("link"), Path.of("real"));
        for (String inside : List.of("link", "./link/.", workspace().resolve("real").toString())) {
            Session session = sessions().open(SessionSpec.of("pwd").workdir(inside));
            assertThat(session.snapshot().workdir()).isEqualTo("real");
            assertThat(allTextOf(session)).isEqualTo(workspace().resolve("real") + "\r\n");
        }
    }

    @Test
    default void aLinkThatIsSwappedAtTheLastMomentNeverLeadsOut() throws Exception {
        Path outside = workspace().resolveSibling("outside");
        Files.createDirectories(outside.resolve("deep"));
        Files.createDirectories(workspace().resolve("inside/deep"));
        Path link = workspace().resolve("link");
        Files.createSymbolicLink(link, Path.of("inside"));
        for (Path out : List.of(outside, Path.of("../outside"))) {
            for (String workdir : List.of("link", "link/deep")) {
                openWhileSwapped(workdir, link, out);
            }
        }
    }

    /// Opens sessions until each target of the link has been seen often.
    private void openWhileSwapped(String workdir, Path link, Path out) throws Exception {
        String inside = workspace().resolve(workdir.replace("link", "inside")) + "\r\n";
        AtomicBoolean stop = new AtomicBoolean();
        FutureTask<Boolean> swaps = new FutureTask<>(() -> {
            while (!stop.get()) {
                swap(link, out);
                swap(link, Path.of("inside"));
            }
            return true;
        });
        Thread swapper = Thread.ofPlatform().start(swaps);
        try {
            int opened = 0;
            int refusals = 0;
            while (opened < times(50) || refusals < times(50)) {
                assertThat(swapper.isAlive()).as("swaps go on").isTrue();
                try (Session session = sessions().open(SessionSpec.of("pwd").workdir(workdir))) {
                    assertThat(allTextOf(session)).isEqualTo(inside);
                    opened++;
                } catch (SessionException e) {
                    assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.OUTSIDE_WORKSPACE);
                    refusals++;
                }
            }
        } finally {
            stop.set(true);
            swapper.join();
        }
        assertThat(swaps.get()).as("no swap failed").isTrue();
    }

    private static void swap(Path link, Path target) throws IOException {
        Path fresh = link.resolveSibling("fresh");
        Files.createSymbolicLink(fresh, target);
        Files.move(fresh, link, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    default void aProgramThatIsNotFoundIsNamedAtOnce() {
        for (String program : List.of("no-such-program", "./no-such-program", "/no/such/program")) {
            SessionException refusal = refused(ErrorCode.SPAWN_FAILED, () -> open(program));
            assertThat(refusal).hasMessageContaining(program);
            assertThat(refusal.details()).containsEntry(SessionException.REASON, "not_found");
        }
        assertThat(sessions().list()).isEmpty();
    }

    @Test
    default void aProgramThatCannotBeExecutedIsNamedAtOnce() throws IOException {
        Path plain = Files.writeString(workspace().resolve("plain"), "text");
        Files.setPosixFilePermissions(plain, PosixFilePermissions.fromString("rw-r--r--"));
        for (String program : List.of("./plain", plain.toString(), "/tmp")) {
            SessionException refusal = refused(ErrorCode.SPAWN_FAILED, () -> open(program));
            assertThat(refusal).hasMessageContaining(program);
            assertThat(refusal.details()).containsEntry(SessionException.REASON, "not_executable");
        }
        SessionException inPath = refused(
                ErrorCode.SPAWN_FAILED,
                () -> sessions().open(SessionSpec.of("plain").env("PATH", workspace().toString())));
        assertThat(inPath.details()).containsEntry(SessionException.REASON, "not_executable");
    }

    @Test
    default void programsAreLookedUpInTheSessionsPathAndFolder() throws IOException, InterruptedException {
        Path bin = Files.createDirectory(workspace().resolve("bin"));
        Path script = Files.writeString(bin.resolve("mine"), "#!/bin/sh\necho mine \"$@\"\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(allTextOf(sessions().open(SessionSpec.of("mine", "a b").env("PATH", bin + ":/bin"))))
                .isEqualTo("mine a b\r\n");
        assertThat(allTextOf(sessions().open(SessionSpec.of("./mine").workdir("bin")))).isEqualTo("mine\r\n");
        assertThat(allTextOf(sessions().open(SessionSpec.of("mine").workdir("bin").env("PATH", ":/bin"))))
                .isEqualTo("mine\r\n");
        refused(ErrorCode.SPAWN_FAILED, () -> open("mine"));
    }

    @Test
    default void aScriptWithoutAnInterpreterLineIsRunByTheShell() throws IOException, InterruptedException {
        Path script = Files.writeString(workspace().resolve("bare"), "echo bare $1\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(allTextOf(open("./bare", "one"))).isEqualTo("bare one\r\n");
    }

    @Test
    default void argumentsReachTheProgramUnchanged() throws InterruptedException {
        List<String> odd = List.of("", " ", "a\nb", "'\"$HOME\\", "äöü€😀", "-n", "*");
        List<String> command = new java.util.ArrayList<>(List.of("python3", "-c", "import sys; print(sys.argv[1:])"));
        command.addAll(odd);
        Session session = sessions().open(SessionSpec.of(command).pipe().env("PYTHONIOENCODING", "utf-8"));
        assertThat(allTextOf(session)).isEqualTo("['', ' ', 'a\\nb', '\\'\"$HOME\\\\', 'äöü€😀', '-n', '*']\n");
    }

    @Test
    default void aRefusedOpenLeavesNothingBehind() {
        Sessions one = sessions(Limits.DEFAULT.maxSessions(1));
        refused(ErrorCode.SPAWN_FAILED, () -> one.open(SessionSpec.of("no-such-program").id("x")));
        assertThat(one.stats().permitsUsed()).isZero();
        assertThat(one.list()).isEmpty();
        one.open(SessionSpec.of("cat").id("x")).close(true);
    }

    @Test
    default void theChildHasDescriptors0To2AndNoOthers() throws InterruptedException {
        String list = "import os; print(sorted(int(f) for f in os.listdir('/proc/self/fd')))";
        // Listing opens one descriptor itself.
        assertThat(allTextOf(sessions().open(SessionSpec.of("python3", "-c", list)))).contains("[0, 1, 2, 3]");
        assertThat(allTextOf(sessions().open(SessionSpec.of("python3", "-c", list).pipe()))).contains("[0, 1, 2, 3]");
    }

    @Test
    default void theChildHasCleanSignals() throws InterruptedException {
        for (Session session : List.of(
                open("cat", "/proc/self/status"),
                sessions().open(SessionSpec.of("cat", "/proc/self/status").pipe()))) {
            String status = allTextOf(session);
            assertThat(status).containsPattern("SigBlk:\\s0000000000000000");
            assertThat(status).containsPattern("SigIgn:\\s0000000000000000");
        }
    }
}
