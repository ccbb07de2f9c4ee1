package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Activity;
import dev.belay.EndReason;
import dev.belay.Environment;
import dev.belay.ErrorCode;
import dev.belay.ExitStatus;
import dev.belay.Isolation;
import dev.belay.ProcessRecord;
import dev.belay.Resources;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Signal;
import dev.belay.host.Host;
import dev.belay.testkit.Rig;
import dev.belay.testkit.SessionContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Sessions in a sandbox pass the contract, as an ordinary user and as root with another user for the sandbox.
class SandboxSessionTest extends SessionContract implements LinuxInputContract {
    private int mask;

    @BeforeEach
    void openFiles() {
        mask = Sandboxes.openFilesToAll();
    }

    @AfterEach
    void restoreMask() {
        Sandboxes.restore(mask);
    }

    @Override
    public Host host(Path workspace) {
        return Sandboxes.host(workspace);
    }

    /// Opening a sandbox takes four times as long. What happens rarely happens in the code that all sessions share, and
    /// [LinuxSessionTest] repeats it often enough.
    @Override
    public int times(int most) {
        return Math.max(5, most / 10);
    }

    // --- what differs in a sandbox ---

    /// Bubblewrap tells the death of its program by a code, as shells do.
    private void endsBySignal(Session session, Signal signal) throws InterruptedException {
        assertThat(exitOf(session)).isEqualTo(new ExitStatus.Exited(128 + signal.number()));
    }

    @Test
    @Override
    public void anExitCodeAndASignalAreTold() throws InterruptedException {
        assertThat(exitOf(shell("exit 3")).code()).isEqualTo(3);
        endsBySignal(shell("kill -9 $$"), Signal.KILL);
    }

    @Test
    @Override
    public void anInterruptIsControlCOnATerminalAndASignalToTheGroupOnPipes() throws InterruptedException {
        for (Session session : List.of(shell("echo ready; exec sleep 1000"), piped("echo ready; exec sleep 1000"))) {
            expect(session.cursor(), "ready");
            session.signal(Signal.INT);
            endsBySignal(session, Signal.INT);
        }
    }

    @Test
    @Override
    public void aProcessThatUsesTooMuchProcessorTimeIsEndedAndTheReasonSaysSo() throws InterruptedException {
        Session session = sessions().open(SessionSpec.of("/bin/sh", "-c", "while :; do :; done")
                .resources(Resources.AS_BELAY.cpu(Duration.ofSeconds(1))));
        endsBySignal(session, Signal.XCPU);
        assertThat(session.snapshot().endReason()).isEqualTo(EndReason.CPU_LIMIT);
    }

    @Test
    @Override
    public void aProcessThatWritesTooLargeAFileIsEndedAndTheReasonSaysSo() throws InterruptedException {
        Session session = sessions().open(SessionSpec.of("dd", "if=/dev/zero", "of=file", "bs=1M", "count=8")
                .resources(Resources.AS_BELAY.fileBytes(1L << 20)));
        endsBySignal(session, Signal.XFSZ);
        assertThat(session.snapshot().endReason()).isEqualTo(EndReason.FILE_SIZE_LIMIT);
    }

    /// That the kernel killed a program for its time is seen of a leader only, which is bubblewrap here.
    @Test
    @Override
    public void aProcessThatIsKilledSinceItWouldNotHearThatItsTimeIsUpSaysSo() throws InterruptedException {
        Session session = sessions().open(SessionSpec.of("/bin/sh", "-c", "trap '' XCPU; while :; do :; done")
                .resources(Resources.AS_BELAY.cpu(Duration.ofSeconds(1))));
        endsBySignal(session, Signal.KILL);
    }

    @Test
    @Override
    public void aLimitedProcessIsOtherwiseLikeAnyOther() throws InterruptedException {
        Session session = sessions().open(SessionSpec.of("/bin/sh", "-c", "ulimit -n; kill -9 $$")
                .resources(Resources.AS_BELAY.openFiles(100L)));
        expect(session.cursor(), "100");
        endsBySignal(session, Signal.KILL);
    }

    /// The terminal of a sandbox has another name.
    @Test
    @Override
    public void aCommandRunsInATerminalOfItsSize() throws InterruptedException {
        Session session = sessions().open(SessionSpec.of("/bin/sh", "-c", "tty; stty size").size(132, 43));
        assertThat(allTextOf(session)).isEqualTo("/dev/console\r\n43 132\r\n");
    }

    /// Bubblewrap holds the other end until its program ends.
    @Test
    @Override
    public void aPipeThatTheChildHasClosedIsNotWritable() throws InterruptedException {
        Session session = piped("exec 0<&-; echo closed; exec sleep 1000");
        expect(session.cursor(), "closed");
        session.write("into the void");
        session.close();
        refused(ErrorCode.NOT_WRITABLE, () -> session.write("more"));
    }

    /// The kernel ends all processes of a sandbox with its first one, however they have detached themselves.
    private void nothingSurvives(String detach) throws InterruptedException {
        for (Session session : List.of(shell(detach + " echo begun"), piped(detach + " echo begun"))) {
            assertThat(exitOf(session).code()).isZero();
            assertThat(session.survivors()).isZero();
            awaitEnded(session);
        }
        assertThat(left()).isEmpty();
        assertThat(sessions().stats().permitsUsed()).isZero();
    }

    private List<Long> left() {
        try {
            return Rig.marked(sessions().instance() + "/");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitEnded(Session session) throws InterruptedException {
        Activity activity = session.activity();
        while (!session.drained()) {
            assertThat(activity.next(PATIENCE)).as("%s lets go", session).isTrue();
        }
    }

    @Test
    @Override
    public void survivorsThatHoldTheTerminalKeepThePermit() throws InterruptedException {
        nothingSurvives("trap '' HUP; sleep 1000 &");
    }

    @Test
    @Override
    public void theExitOfALeaderIsNotHeldBackBySurvivorsThatFlood() throws InterruptedException {
        nothingSurvives("(trap '' HUP; yes) &");
    }

    @Test
    @Override
    public void survivorsAreCountedHoweverNewTheyAre() throws InterruptedException {
        nothingSurvives("setsid sleep 1000 & setsid sleep 1000 &");
    }

    @Test
    @Override
    public void whatSurvivorsPrintIsKeptAndTheSessionEndsWithThem() throws InterruptedException {
        nothingSurvives("(trap '' HUP; while :; do echo on; sleep 0.1; done) &");
    }

    @Test
    @Override
    public void whatSurvivorsPrintedBeforeATimeoutEndedThemIsKept() throws InterruptedException {
        nothingSurvives("(trap '' HUP; while :; do echo on; done) &");
    }

    @Test
    @Override
    public void aChildThatHoldsTheTerminalAfterItsLeaderIsEnded() throws InterruptedException {
        nothingSurvives("setsid sh -c 'sleep 1000' &");
    }

    @Test
    @Override
    public void aDaemonLeftByALeaderThatHasExitedIsEndedByTheClose() throws InterruptedException {
        nothingSurvives("setsid sleep 1000 </dev/null >/dev/null 2>&1 &");
    }

    @Test
    @Override
    public void noProcessOutlivesItsSessionHoweverItDetachesAndHoweverThatEnds() throws InterruptedException {
        nothingSurvives("env -i setsid sh -c 'sleep 1000 & sleep 1000' </dev/null >/dev/null 2>&1 &");
    }

    /// Numbers of processes inside say nothing outside, and the kernel ends some before Belay does, so the marks tell.
    private void allAreEnded(String detach) throws InterruptedException {
        Session session = shell(detach + " echo begun; exec sleep 1000");
        expect(session.cursor(), "begun");
        assertThat(session.close(true).ended()).isPositive();
        assertThat(left()).isEmpty();
    }

    @Test
    @Override
    public void aChildThatDoubleForksIntoASessionOfItsOwnIsEnded() throws InterruptedException {
        allAreEnded("(setsid sh -c 'sleep 1000 &') &");
    }

    @Test
    @Override
    public void aChildThatIgnoresHangUpAndTerminationIsKilled() throws InterruptedException {
        allAreEnded("(trap '' HUP TERM; sleep 1000) &");
    }

    @Test
    @Override
    public void aDaemonWithAClearedEnvironmentAndNoDescriptorsIsEnded() throws InterruptedException {
        allAreEnded("env -i setsid sleep 1000 </dev/null >/dev/null 2>&1 &");
    }

    @Test
    @Override
    public void theProcessesOfASessionAreThoseThatAreEnded() throws InterruptedException {
        Session session = shell("sleep 1234 & setsid sleep 2345 & printf up; exec cat");
        expect(session.cursor(), "up");
        List<String> all = commands(session);
        while (!all.containsAll(List.of("cat", "sleep 1234", "sleep 2345"))) {
            Thread.onSpinWait(); // between fork and exec
            all = commands(session);
        }
        // The sandbox itself: bubblewrap, and the shell that starts the program in it.
        assertThat(all).anyMatch(command -> command.contains("bwrap --unshare-user"));
        session.close(true);
        assertThat(session.processes()).isEmpty();
        assertThat(left()).isEmpty();
    }

    private static List<String> commands(Session session) {
        return session.processes().stream().map(ProcessRecord::command).toList();
    }

    @Override
    public Sessions.Builder builder() {
        // The PATH of the system: programs elsewhere are not shown.
        return super.builder()
                .environment(Environment.basic(System.getenv()).with(Map.of("PATH", ProgramLookup.DEFAULT_PATH)))
                .isolation(Isolation.SANDBOX);
    }
}
