package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.EndReason;
import dev.belay.ErrorCode;
import dev.belay.ExitStatus;
import dev.belay.Resources;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Signal;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Resource limits of a session's processes.
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
    default void aShellWhoseCommandHitALimitSaysSoToo() throws InterruptedException {
        Session cpu = limited(
                Resources.AS_BELAY.cpu(Duration.ofSeconds(1)),
                "/bin/sh", "-c", "/bin/sh -c 'while :; do :; done'; exit $?");
        Session file = limited(
                Resources.AS_BELAY.fileBytes(10_000L),
                "/bin/sh", "-c", "dd if=/dev/zero of=large bs=1000 count=100; exit $?");
        assertThat(exitOf(file)).isEqualTo(new ExitStatus.Exited(128 + Signal.XFSZ.number()));
        assertThat(file.snapshot().endReason()).isEqualTo(EndReason.FILE_SIZE_LIMIT);
        assertThat(exitOf(cpu)).isEqualTo(new ExitStatus.Exited(128 + Signal.XCPU.number()));
        assertThat(cpu.snapshot().endReason()).isEqualTo(EndReason.CPU_LIMIT);
    }

    @Test
    default void aProcessThatIsKilledSinceItWouldNotHearThatItsTimeIsUpSaysSo() throws InterruptedException {
        // If both limits are equal, there is no SIGXCPU, only the SIGKILL that would follow it.
        String spin = "import resource as r; r.setrlimit(r.RLIMIT_CPU, (1, 1))\nwhile True: pass";
        Resources second = Resources.AS_BELAY.cpu(Duration.ofSeconds(1));
        Session session = limited(second, "python3", "-c", spin);
        assertThat(exitOf(session).signal()).contains(Signal.KILL);
        assertThat(session.snapshot().endReason()).isEqualTo(EndReason.CPU_LIMIT);
        Session killed = limited(second, "/bin/sh", "-c", "kill -9 $$");
        assertThat(exitOf(killed).signal()).contains(Signal.KILL);
        assertThat(killed.snapshot().endReason()).isEqualTo(EndReason.EXIT);
    }

    @Test
    default void aLimitedProcessHasTheVariablesThatAnyOtherHas() throws InterruptedException {
        SessionSpec plain = SessionSpec.of("env", "-0")
                .pipe()
                .env(Map.of("X", "1", "belay_X", "2", "belay_belay_X", "", "IFS", "x", "PS4", "$(touch made)"))
                .env(Map.of("QUOTED", "a 'b' \"c\" $d `e` \\ \n\u00e4 ", "LD_BIND_NOW", "1", "ENV", "./none", "_x",
                        "*"));
        assertThat(variables(plain.resources(Resources.AS_BELAY.openFiles(64L)).id("limited")))
                .containsExactlyInAnyOrderElementsOf(variables(plain.id("plain")))
                .contains("belay_belay_X=", "X=1");
        assertThat(workspace().resolve("made")).doesNotExist();
    }

    /// The environment variables of a session, without the one that differs in every session.
    private List<String> variables(SessionSpec spec) throws InterruptedException {
        List<String> all = new ArrayList<>(List.of(allTextOf(sessions().open(spec)).split("\0")));
        assertThat(all.removeIf(one -> one.startsWith("BELAY_SESSION=") && one.contains("/" + spec.id() + "/")))
                .isTrue();
        // Some shells set `_` for every program they start.
        all.removeIf(one -> one.startsWith("_="));
        return all;
    }

    @Test
    default void limitsAreThoseThatWereAskedFor() throws InterruptedException {
        Resources resources = Resources.AS_BELAY
                .openFiles(64L)
                .processes(1000L)
                .memoryBytes(1L << 32);
        String show = "import resource as r; print([r.getrlimit(x) for x in"
                + " (r.RLIMIT_NOFILE, r.RLIMIT_NPROC, r.RLIMIT_AS, r.RLIMIT_CORE)])";
        assertThat(allTextOf(limited(resources, "python3", "-c", show)))
                .as("no core dumps unless requested")
                .isEqualTo("[(64, 64), (1000, 1000), (4294967296, 4294967296), (0, 0)]\n");
        assertThat(allTextOf(limited(resources.coreBytes(4096L), "python3", "-c", show))).contains("(4096, 4096)]");
    }

    @Test
    default void whatTheOperatorSaysHoldsWithWhatTheSpecSays() throws InterruptedException {
        sessions().resources(Resources.AS_BELAY.openFiles(100L).fileBytes(1L << 20));
        String show = "import resource as r; print([r.getrlimit(x)[1] for x in"
                + " (r.RLIMIT_NOFILE, r.RLIMIT_FSIZE, r.RLIMIT_AS)])";
        assertThat(allTextOf(sessions().open(SessionSpec.of("python3", "-c", show).pipe())))
                .isEqualTo("[100, 1048576, -1]\n");
        assertThat(allTextOf(limited(Resources.AS_BELAY.openFiles(64L).memoryBytes(1L << 32), "python3", "-c", show)))
                .isEqualTo("[64, 1048576, 4294967296]\n");
        assertThat(allTextOf(limited(Resources.AS_BELAY.openFiles(1000L), "python3", "-c", show)))
                .as("no more than the operator allows")
                .isEqualTo("[100, 1048576, -1]\n");
    }

    @Test
    default void theOperatorsWallClockHoldsForEverybody() throws InterruptedException {
        sessions().limits(sessions().limits().timeout(Duration.ofMillis(200)));
        Session silent = sessions().open(SessionSpec.of("sleep", "1000").pipe());
        Session more = sessions().open(SessionSpec.of("sleep", "1000").pipe().timeout(Duration.ofHours(1)));
        for (Session session : List.of(silent, more)) {
            exitOf(session);
            assertThat(session.snapshot().endReason()).isEqualTo(EndReason.TIMEOUT);
        }
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
        // More open files than the kernel allows anybody.
        SessionException refusal = refused(
                ErrorCode.INVALID_REQUEST, () -> limited(Resources.AS_BELAY.openFiles(1L << 40), "sleep", "1000"));
        assertThat(refusal).hasMessageContaining("open files");
        assertThat(sessions().list()).isEmpty();
        assertThat(sessions().stats().permitsUsed()).isZero();
        refused(ErrorCode.INVALID_REQUEST, () -> Resources.AS_BELAY.openFiles(0L));
        refused(ErrorCode.INVALID_REQUEST, () -> Resources.AS_BELAY.cpu(Duration.ofMillis(10)));
    }
}
