package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Cursor;
import dev.belay.ErrorCode;
import dev.belay.Limits;
import dev.belay.Mode;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Signal;
import dev.belay.Size;
import dev.belay.Until;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/// Writing input.
public interface WriteContract extends Rig {
    @Test
    default void whatIsWrittenReachesTheProcessAndIsCounted() throws InterruptedException {
        Session session = open("cat");
        assertThat(session.write("hällo")).isEqualTo(6);
        assertThat(session.writeLine("!")).isEqualTo(2);
        assertThat(expect(session.cursor(), "hällo!\\s+hällo!")).isNotEmpty();
    }

    @Test
    default void oneMebibyteArrivesWholeWhenTheChildReads() throws InterruptedException {
        byte[] million = new byte[1 << 20];
        for (int i = 0; i < million.length; i++) {
            million[i] = (byte) (i % 64 == 63 ? '\n' : 'a' + i % 26);
        }
        String count = "import sys,hashlib; d=sys.stdin.buffer.read(1<<20);"
                + "print(len(d), hashlib.md5(d).hexdigest())";
        String expected = (1 << 20) + " " + md5(million);
        Session terminal = sessions().open(SessionSpec.of("python3", "-c", count)
                .mode(new Mode.Pty(Size.DEFAULT, false, true)));
        assertThat(terminal.write(million, PATIENCE)).isEqualTo(million.length);
        assertThat(allTextOf(terminal)).contains(expected);
        Session pipe = sessions().open(SessionSpec.of("python3", "-c", count).pipe());
        assertThat(pipe.write(million, PATIENCE)).isEqualTo(million.length);
        assertThat(allTextOf(pipe)).contains(expected);
    }

    private static String md5(byte[] bytes) {
        try {
            return java.util.HexFormat.of()
                    .formatHex(java.security.MessageDigest.getInstance("MD5").digest(bytes));
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /// In line mode the kernel keeps 4,095 bytes of a line, drops the rest and says nothing.
    @Test
    default void aLineThatTheTerminalWouldCutIsRefusedWhole() throws InterruptedException {
        Session session = shell("stty -echo; echo ready; exec cat");
        expect(session.cursor(), "ready");
        long before = session.output().end();
        assertThat(session.write("x".repeat(4095) + "\n" + "y".repeat(4095) + "\r")).isEqualTo(2 * 4096);
        SessionException refusal =
                refused(ErrorCode.NOT_WRITABLE, () -> session.write("begin\n" + "z".repeat(4096) + "\n"));
        assertThat(refusal).hasMessageContaining("4096").hasMessageContaining("nothing was written");
        assertThat(refusal.details()).containsEntry("max_line_bytes", 4095);
        assertThat(session.write("a".repeat(4000))).as("the beginning of a line").isEqualTo(4000);
        refused(ErrorCode.NOT_WRITABLE, () -> session.write("b".repeat(96)));
        assertThat(session.write("b".repeat(95) + "\n")).isEqualTo(96);
        assertThat(session.write("c".repeat(4000) + "\u0015" + "d".repeat(4000) + "\n")).as("Ctrl-U").isEqualTo(8002);
        session.write("over\n\u0004");
        exitOf(session);
        String expected = "x".repeat(4095) + "\r\n" + "y".repeat(4095) + "\r\n" + "a".repeat(4000) + "b".repeat(95)
                + "\r\n" + "d".repeat(4000) + "\r\nover\r\n";
        assertThat(allTextOf(session).substring((int) before)).isEqualTo(expected);
    }

    @Test
    default void aLongLineGoesToAProgramThatDoesNotReadLines() throws InterruptedException {
        Session raw = shell("stty raw -echo; echo ready; head -c 100000 | wc -c");
        expect(raw.cursor(), "ready");
        assertThat(raw.write("x".repeat(100_000))).isEqualTo(100_000);
        assertThat(expect(raw.cursor(), "100000")).isNotEmpty();
        Session pipe = piped("head -c 100000 | wc -c");
        assertThat(pipe.write("x".repeat(100_000))).isEqualTo(100_000);
        assertThat(expect(pipe.cursor(), "100000")).isNotEmpty();
    }

    @Test
    default void anInputWhoseWriteWasInterruptedIsWrittenOnce() throws Exception {
        int length = 300_000;
        byte[] input = new byte[length];
        for (int i = 0; i < length; i++) {
            input[i] = (byte) ('a' + i % 26);
        }
        new ProcessBuilder("mkfifo", workspace().resolve("go").toString()).start().waitFor();
        Session session = piped("read go <go; head -c " + length + " | md5sum; wc -c");
        FutureTask<Integer> write = new FutureTask<>(() -> session.writeOnce(input, "paste"));
        Thread writer = Thread.ofVirtual().start(write);
        Rig.awaitWaiting(writer);
        writer.interrupt();
        org.assertj.core.api.Assertions.assertThatThrownBy(write::get)
                .hasCauseInstanceOf(InterruptedException.class);
        FutureTask<Integer> again = new FutureTask<>(() -> session.writeOnce(input, "paste"));
        Thread.ofVirtual().start(again);
        java.nio.file.Files.writeString(workspace().resolve("go"), "go\n");
        assertThat(again.get()).isEqualTo(length);
        assertThat(session.writeOnce(input, "paste")).isEqualTo(length);
        session.closeInput();
        exitOf(session);
        assertThat(allTextOf(session)).startsWith(md5(input)).endsWith("\n0\n");
    }

    @Test
    default void aChildThatDoesNotReadTakesAPart() throws InterruptedException {
        byte[] much = "x".repeat(1 << 20).getBytes(StandardCharsets.UTF_8);
        Session deaf = shell("stty raw -echo; echo ready; exec sleep 1000");
        expect(deaf.cursor(), "ready");
        int taken = deaf.write(much, Duration.ofMillis(200));
        assertThat(taken).isBetween(1, much.length - 1);
        Session deafPipe = piped("exec sleep 1000");
        assertThat(deafPipe.write(much, Duration.ofMillis(200))).isBetween(1, much.length - 1);
        assertThat(deafPipe.write(much, Duration.ZERO)).as("full").isZero();
    }

    @Test
    default void othersAreEchoedWhileAWriteWaitsForAChildThatDoesNotRead() throws Exception {
        Session deaf = shell("stty raw -echo; echo ready; exec sleep 1000");
        expect(deaf.cursor(), "ready");
        Session deafPipe = piped("exec sleep 1000");
        Session terminal = open("cat");
        Session pipe = sessions().open(SessionSpec.of("cat").pipe());
        FutureTask<Integer> write = waitingWrite(deaf);
        FutureTask<Integer> pipeWrite = waitingWrite(deafPipe);
        for (int i = 0; i < 20; i++) {
            terminal.writeLine("hello " + i);
            expect(terminal.cursor(), "hello " + i + "\\s+hello " + i);
            pipe.writeLine("hello " + i);
            expect(pipe.cursor(), "hello " + i);
        }
        assertThat(write).as("still waiting").isNotDone();
        assertThat(pipeWrite).as("still waiting").isNotDone();
        deaf.close(true);
        deafPipe.close(true);
        write.get();
        pipeWrite.get();
    }

    /// Writes a mebibyte to a session that does not read, and returns once the write waits.
    private static FutureTask<Integer> waitingWrite(Session deaf) {
        FutureTask<Integer> write = new FutureTask<>(() -> deaf.write(new byte[1 << 20], PATIENCE.multipliedBy(4)));
        Rig.awaitWaiting(Thread.ofVirtual().start(write));
        return write;
    }

    @Test
    default void theWritesOfSeveralThreadsFollowEachOtherWhole() throws Exception {
        Session session = sessions().open(SessionSpec.of("cat").pipe());
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> writes = new ArrayList<>();
            for (char letter = 'a'; letter < 'a' + 10; letter++) {
                String line = String.valueOf(letter).repeat(100_000);
                writes.add(
                        threads.submit(() -> session.write((line + "\n").getBytes(StandardCharsets.UTF_8), PATIENCE)));
            }
            for (Future<Integer> write : writes) {
                assertThat(write.get()).isEqualTo(100_001);
            }
        }
        session.closeInput();
        assertThat(allTextOf(session).lines()).hasSize(10).allMatch(line -> line.matches("(.)\\1{99999}"));
    }

    @Test
    default void nothingCanBeWrittenAfterTheExit() throws InterruptedException {
        for (SessionSpec spec : List.of(SessionSpec.of("true"), SessionSpec.of("true").pipe())) {
            Session session = sessions().open(spec);
            exitOf(session);
            SessionException refusal = refused(ErrorCode.NOT_WRITABLE, () -> session.write("x"));
            assertThat(refusal).hasMessageContaining("no longer writable").hasMessageContaining(session.id());
        }
    }

    @Test
    default void aPipeThatTheChildHasClosedIsNotWritable() throws InterruptedException {
        Session session = piped("exec <&-; echo closed; exec sleep 1000");
        expect(session.cursor(), "closed");
        refused(ErrorCode.NOT_WRITABLE, () -> session.write("x"));
    }

    @Test
    default void closingTheInputOfAPipeIsTheEndForItsReader() throws InterruptedException {
        Session session = sessions().open(SessionSpec.of("cat").pipe());
        session.write("last words");
        session.closeInput();
        assertThat(allTextOf(session)).isEqualTo("last words");
        assertThat(exitOf(session).code()).isZero();
        refused(ErrorCode.NOT_WRITABLE, () -> session.write("x"));
        SessionException refusal = refused(ErrorCode.INVALID_REQUEST, () -> open("cat").closeInput());
        assertThat(refusal).hasMessageContaining("Ctrl-D");
    }

    @Test
    default void controlDEndsTheInputOfATerminal() throws InterruptedException {
        Session session = open("cat");
        session.write("\u0004");
        assertThat(exitOf(session).code()).isZero();
    }

    @Test
    default void anInterruptIsControlCOnATerminalAndASignalToTheGroupOnPipes() throws InterruptedException {
        Session terminal = open("cat");
        terminal.writeLine("up");
        expect(terminal.cursor(), "up\\s+up");
        terminal.interrupt();
        assertThat(exitOf(terminal).signal()).contains(Signal.INT);
        // The leader's child is in its group. Without the signal neither of them would ever end.
        Session pipe = piped("trap 'echo leader' INT;"
                + " sh -c 'trap \"echo child; exit 0\" INT; echo up; while :; do sleep 0.01; done'; exit 7");
        expect(pipe.cursor(), "up");
        pipe.interrupt();
        assertThat(exitOf(pipe).code()).isEqualTo(7);
        assertThat(allTextOf(pipe)).isEqualTo("up\nchild\nleader\n");
    }

    @Test
    default void anInputThatIsTooLargeIsRefused() {
        Session session = sessions(Limits.DEFAULT.maxInputBytes(10)).open(SessionSpec.of("cat"));
        refused(ErrorCode.TOO_LARGE, () -> session.write("01234567890"));
    }

    @Test
    default void aWriteThatWaitsEndsWhenItsSessionIsClosed() throws Exception {
        Session deaf = piped("exec sleep 1000");
        FutureTask<Integer> write = waitingWrite(deaf);
        deaf.close(true);
        assertThat(write.get()).as("bytes that fit into the pipe").isBetween(1, (1 << 20) - 1);
    }

    @Test
    default void bytesOfEveryValuePassAPipeUnchanged() throws InterruptedException {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        Session session = sessions().open(SessionSpec.of("cat").pipe());
        session.write(all);
        session.closeInput();
        assertThat(allBytesOf(session)).isEqualTo(all);
    }

    @Test
    default void aPasswordIsReadFromTheTerminalWithoutEcho() throws InterruptedException {
        Session session = open("python3", "-c", "import getpass; print('got', getpass.getpass('Password: '))");
        Cursor cursor = session.cursor();
        expect(cursor, "Password: ");
        session.writeLine("s3cret");
        cursor.await(Until.exited(), PATIENCE);
        assertThat(allTextOf(session)).isEqualTo("Password: \r\ngot s3cret\r\n");
    }
}
