package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Until;
import dev.belay.Waited;
import dev.belay.testkit.Rig;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class BirthsTest {
    private final Arena arena = Arena.ofConfined();
    private final ProcFile files = new ProcFile(new Libc(arena), arena);

    @AfterEach
    void free() {
        arena.close();
    }

    @Test
    void aMomentInWhichNobodyWasBornIsKnownAsSuch() {
        boolean shown = files.lastPid() >= 0;
        boolean none = Births.now(files).none(files);
        // The machine may start processes at any time, but not in every such moment.
        while (shown && !none) {
            none = Births.now(files).none(files);
        }
        assertThat(none).isEqualTo(shown);
    }

    @Test
    void aChildAndAThreadAreBirths() throws Exception {
        Births beforeChild = Births.now(files);
        Process child = new ProcessBuilder("true").start();
        assertThat(beforeChild.none(files)).isFalse();
        assertThat(child.waitFor()).isZero();
        Births beforeThread = Births.now(files);
        Thread thread = Thread.ofPlatform().start(() -> {});
        assertThat(beforeThread.none(files)).isFalse();
        thread.join();
    }

    @Test
    void nothingIsKnownOfALongTimeAgo() {
        long longAgo = System.nanoTime() - Duration.ofSeconds(1).toNanos();
        assertThat(new Births(files.lastPid(), longAgo).none(files)).isFalse();
    }

    @Test
    void nothingIsKnownWhereTheKernelDoesNotTell() {
        assertThat(Births.UNKNOWN.none(files)).isFalse();
        assertThat(new Births(-1, System.nanoTime()).none(files)).isFalse();
    }

    /// The kernel gives out a number a little before a listing shows its process; longer if the parent loses its core
    /// in between.
    @Test
    void aProcessThatWasBeingBornDuringTheLookIsEndedWithItsSession(@TempDir Path folder) throws Exception {
        try (Sessions sessions = Sessions.builder(LinuxHost.at(folder)).state(folder.resolve("state")).build()) {
            Session session =
                    sessions.open(SessionSpec.of("/bin/sh", "-c", "setsid sleep 1000 & echo $! 0; wait").pipe());
            assertEndedThoughHidden(session, printed(session)[0], () -> {});
        }
    }

    @Test
    void soIsOneWhoseParentExitsBetweenTheListingAndItsReading(@TempDir Path folder) throws Exception {
        try (Sessions sessions = Sessions.builder(LinuxHost.at(folder)).state(folder.resolve("state")).build()) {
            Session session = sessions.open(SessionSpec.of(
                    "/bin/sh", "-c", "setsid sh -c 'sleep 1000 & echo $! $$; wait' & exit 0").pipe());
            long[] family = printed(session);
            assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
            assertEndedThoughHidden(session, family[0], () -> kill(family[1]));
        }
    }

    private static long[] printed(Session session) throws InterruptedException {
        assertThat(session.cursor().await(Until.match("\n"), Rig.PATIENCE).fired()).isEqualTo(Waited.Fired.MATCH);
        String line = session.cursor().drainText(64).text().strip();
        return Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
    }

    /// @param then happens after the listing, before what it lists is read
    private void assertEndedThoughHidden(Session session, long born, Runnable then) {
        AtomicBoolean hidden = new AtomicBoolean();
        Libc.faults = (_, buffer, call) -> {
            int count = call.getAsInt();
            if (count > 0 && !hidden.get() && lists()
                    && hide(born, MemorySegment.ofAddress(buffer).reinterpret(count))) {
                hidden.set(true);
                then.run();
            }
            return count;
        };
        try {
            session.close(true);
        } finally {
            Libc.faults = null;
        }
        assertThat(hidden).as("it was hidden from one listing").isTrue();
        assertThat(Proc.read(files, born)).satisfiesAnyOf(
                gone -> assertThat(gone).isNull(), dead -> assertThat(dead.alive()).isFalse());
    }

    /// Without starting a process or thread: that would be a birth.
    private static void kill(long pid) {
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
        while (lives(pid)) {
            Thread.onSpinWait();
        }
    }

    private static boolean lives(long pid) {
        try {
            return !Files.readString(Path.of("/proc/" + pid + "/stat")).contains(") Z ");
        } catch (IOException _) {
            return false;
        }
    }

    private static boolean lists() {
        return StackWalker.getInstance()
                .walk(frames -> frames.limit(8).anyMatch(frame -> frame.getMethodName().equals("getdents")));
    }

    /// Gives a process a name in a listing that is no number, if it is in there.
    private static boolean hide(long pid, MemorySegment entries) {
        byte[] name = ("\0" + pid + "\0").getBytes(StandardCharsets.US_ASCII);
        for (long at = 0; at + name.length <= entries.byteSize(); at++) {
            // The kind of the entry, a folder, comes before its name.
            byte[] found = entries.asSlice(at, name.length).toArray(ValueLayout.JAVA_BYTE);
            found[0] = 0;
            if (Arrays.equals(found, name)) {
                entries.set(ValueLayout.JAVA_BYTE, at + 1, (byte) 'x');
                return true;
            }
        }
        return false;
    }
}
