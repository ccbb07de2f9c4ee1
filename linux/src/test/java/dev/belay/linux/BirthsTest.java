package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
}
