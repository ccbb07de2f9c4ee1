package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.Approval.Answer;
import dev.belay.ErrorCode;
import dev.belay.Guard;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.testkit.Rig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The kernel hangs up on the watch when the last process of a session has ended, however it hides: the proof that none
/// is left.
class WatchEndTest extends WatchRig {
    /// A daemon that the tags cannot find: it has no environment, session, parent or descriptor of its own, and another
    /// limit of file locks. Once the fifo is written to, it tries to start a program and says how that failed.
    private static final String HIDES = """
            env -i python3 -c "$0" & wait; echo hidden
            """;
    private static final String DAEMON = """
            import os, resource, time
            if os.fork():
                os._exit(0)
            os.setsid()
            parent = os.getpid()
            if os.fork():
                os._exit(0)
            while os.getppid() == parent:
                time.sleep(0.001)
            soft, hard = resource.getrlimit(10)
            resource.setrlimit(10, (soft - 1 if soft > 0 else 1000, hard))
            os.closerange(0, 256)
            with open('pid.new', 'w') as file:
                file.write(str(os.getpid()))
            os.rename('pid.new', 'pid')
            with open('go') as file:
                file.read()
            try:
                os.execv('/bin/true', ['true'])
            except OSError as e:
                with open('said.new', 'w') as file:
                    file.write(str(e.errno))
                os.rename('said.new', 'said')
            """;

    @BeforeEach
    void makeFifo() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", workspace().resolve("go").toString()).start().waitFor()).isZero();
    }

    private Path workspace() {
        return folder.resolve("workspace");
    }

    /// @return the number of the daemon that it has left
    private long hidden(Session session) throws Exception {
        assertThat(output(session)).isEqualTo("hidden\n");
        return Long.parseLong(said("pid"));
    }

    /// What the daemon has written to a file, once it is there. It has nothing else to tell it by.
    private String said(String name) throws Exception {
        long deadline = System.nanoTime() + Rig.PATIENCE.toNanos();
        while (!Files.exists(workspace().resolve(name))) {
            assertThat(System.nanoTime()).as("%s is there", name).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
        return Files.readString(workspace().resolve(name));
    }

    private void letGo() throws Exception {
        Files.writeString(workspace().resolve("go"), "");
    }

    @Test
    void aDaemonThatNobodyCanFindIsToldOfAndCanStartNothingAfterTheClose() throws Exception {
        Session session = watched("/bin/sh", "-c", HIDES, DAEMON);
        long daemon = hidden(session);
        assertThat(session.processes()).isEmpty();
        assertThat(session.survivors()).isOne();
        SessionException told = catchThrowableOfType(SessionException.class, session::close);
        assertThat(told.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(told).hasMessageContaining("is closed").hasMessageContaining("a process that Belay cannot find");
        assertThat(Rig.lives(daemon)).isTrue();
        letGo();
        assertThat(said("said")).isEqualTo(Integer.toString(Errno.ENOSYS));
        Rig.awaitDeath(daemon);
    }

    @Test
    void onceTheHiddenDaemonHasEndedNobodyIsLeftAndTheCloseSaysSo() throws Exception {
        Session session = watched("/bin/sh", "-c", HIDES, DAEMON);
        long daemon = hidden(session);
        assertThat(session.survivors()).isOne();
        letGo();
        Rig.awaitDeath(daemon);
        while (session.survivors() > 0) {
            assertThat(Thread.interrupted()).as("it took too long").isFalse();
        }
        assertThat(session.close(false).proven()).isTrue();
    }

    @Test
    void theEndOfAWatchedSessionIsProven() throws Exception {
        Session running = watched("/bin/sh", "-c", "(env -i setsid sleep 1000 &) >/dev/null 2>&1; echo up; sleep 1000");
        assertThat(running.cursor().awaitMore(Rig.PATIENCE)).isTrue();
        assertThat(running.close(true).proven()).isTrue();
        Session exited = watched("true");
        assertThat(output(exited)).isEmpty();
        assertThat(exited.survivors()).isZero();
        assertThat(exited.close(false).proven()).isTrue();
        // Nobody says so of others.
        Session other = sessions().open(SessionSpec.of("true").pipe().guard(Guard.NONE));
        assertThat(output(other)).isEmpty();
        assertThat(other.close(false).proven()).isFalse();
    }

    /// A session that could not be closed goes on as it was.
    @Test
    void aSessionThatCannotBeClosedNowIsStillWatched() throws Exception {
        Session session = watched("/bin/sh", "-c", "while read line; do uname -s; done");
        session.writeLine("one");
        approvals().answer(question().id(), "ada", Answer.ALLOW);
        assertThat(session.cursor().awaitMore(Rig.PATIENCE)).isTrue();
        try (Injector _ = Injector.of(
                Set.of(), (site, _) -> site.equals(new Injector.Site("open", "ProcFile.read"))
                        ? Errno.ENOMEM
                        : 0)) {
            SessionException refusal = catchThrowableOfType(SessionException.class, session::close);
            assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        }
        session.writeLine("two");
        approvals().answer(question().id(), "ada", Answer.ALLOW);
        session.closeInput();
        assertThat(output(session)).isEqualTo("Linux\nLinux\n");
        assertThat(session.close(false).proven()).isTrue();
    }
}
