package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.EndReason;
import dev.belay.ErrorCode;
import dev.belay.Resources;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Signal;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What the processes of a session may use.
public interface ResourceContract extends Rig {
    private Session limited(Resources resources, String... command) {
        return sessions().open(SessionSpec.of(command).pipe().resources(resources));
    }

    @Test
    default void aProcessThatUsesTooMuchProcessorTimeIsEndedAndTheReasonSaysSo() throws InterruptedException {
        Session session = limited(
                Resources.AS_BELAY.cpu(Duration.ofSeconds(1)), "/bin/sh", "-c", "echo up; while :; do :; done");
        assertThat(exitOf(session).signal()).contains(Signal.XCPU);
        assertThat(session.snapshot().endReason()).isEqualTo(EndReason.CPU_LIMIT);
        assertThat(allTextOf(session)).isEqualTo("up\n");
    }

    @Test
    default void aProcessThatWritesTooLargeAFileIsEndedAndTheReasonSaysSo() throws Exception {
        Session session = limited(
                Resources.AS_BELAY.fileBytes(10_000L), "dd", "if=/dev/zero", "of=large", "bs=1000", "count=100");
        assertThat(exitOf(session).signal()).contains(Signal.XFSZ);
        assertThat(session.snapshot().endReason()).isEqualTo(EndReason.FILE_SIZE_LIMIT);
        assertThat(Files.size(workspace().resolve("large"))).isEqualTo(10_000);
    }

    @Test
    default void limitsAreThoseThatWereAskedFor() throws InterruptedException {
        Resources resources = Resources.AS_BELAY
                .openFiles(64L)
                .processes(1000L)
                .memoryBytes(1L << 32)
                .coreBytes(0L);
        String show = "import resource as r; print([r.getrlimit(x) for x in"
                + " (r.RLIMIT_NOFILE, r.RLIMIT_NPROC, r.RLIMIT_AS, r.RLIMIT_CORE)])";
        assertThat(allTextOf(limited(resources, "python3", "-c", show)))
                .isEqualTo("[(64, 64), (1000, 1000), (4294967296, 4294967296), (0, 0)]\n");
    }

    @Test
    default void aProcessGetsNoMoreMemoryThanItMay() throws InterruptedException {
        Session session =
                limited(Resources.AS_BELAY.memoryBytes(300L << 20), "python3", "-c", "x = bytearray(500 << 20)");
        assertThat(exitOf(session).code()).isEqualTo(1);
        assertThat(allTextOf(session)).contains("MemoryError");
    }

    @Test
    default void aLimitedProcessIsOtherwiseLikeAnyOther() throws IOException, InterruptedException {
        Files.createDirectory(workspace().resolve("inside"));
        Resources few = Resources.AS_BELAY.openFiles(100L);
        String look =
                "import os,sys; print(os.getcwd(), sorted(os.listdir('/proc/self/fd')), sys.argv[1:], os.isatty(0))";
        Session session = sessions().open(SessionSpec.of("python3", "-c", look, "a b", "$c")
                .workdir("inside")
                .resources(few));
        assertThat(allTextOf(session))
                .isEqualTo(workspace().resolve("inside") + " ['0', '1', '2', '3'] ['a b', '$c'] True\r\n");
        Session killed = limited(few, "/bin/sh", "-c", "kill -9 $$");
        assertThat(exitOf(killed).signal()).contains(Signal.KILL);
        Session closed = limited(few, "sleep", "1000");
        closed.close();
        for (String program : List.of("no-such-program", "/no/such/program")) {
            SessionException refusal = refused(ErrorCode.SPAWN_FAILED, () -> limited(few, program));
            assertThat(refusal.details()).containsEntry(SessionException.REASON, "not_found");
        }
    }

    @Test
    default void aLimitThatCannotBeSetIsRefusedAndLeavesNothing() {
        // More open files than the kernel lets anybody have.
        SessionException refusal = refused(
                ErrorCode.INVALID_REQUEST, () -> limited(Resources.AS_BELAY.openFiles(1L << 40), "sleep", "1000"));
        assertThat(refusal).hasMessageContaining("open files");
        assertThat(sessions().list()).isEmpty();
        assertThat(sessions().stats().permitsUsed()).isZero();
        refused(ErrorCode.INVALID_REQUEST, () -> Resources.AS_BELAY.openFiles(0L));
        refused(ErrorCode.INVALID_REQUEST, () -> Resources.AS_BELAY.cpu(Duration.ofMillis(10)));
    }
}
