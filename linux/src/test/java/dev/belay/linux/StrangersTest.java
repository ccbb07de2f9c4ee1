package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.testkit.LeakCheck;
import dev.belay.testkit.Rig;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Other processes of the JVM that a host lives in are never taken for those of its sessions.
@ExtendWith(LeakCheck.class)
@Timeout(300)
class StrangersTest {
    private static final int STRANGERS = 300;
    private static final int OPENERS = 3;

    @TempDir
    Path folder = Path.of("");

    @Test
    void childrenThatTheJvmStartsMeanwhileAreLeftAlone() throws Exception {
        List<Process> strangers = new ArrayList<>();
        AtomicInteger opened = new AtomicInteger();
        try (Sessions sessions = Sessions.builder(LinuxHost.at(folder)).state(folder.resolve("state")).build();
                ExecutorService threads = Executors.newFixedThreadPool(OPENERS)) {
            AtomicInteger running = new AtomicInteger(OPENERS);
            Callable<Void> opener = () -> {
                try {
                    // At least so many, and for as long as strangers are started.
                    for (int i = 0; i < 50 || strangersMissing(strangers); i++) {
                        SessionSpec spec = SessionSpec.of("/bin/sh", "-c", "(env -i sleep 1000 &) ; exec sleep 1000");
                        try (Session session = sessions.open(i % 2 == 0 ? spec : spec.pipe())) {
                            opened.incrementAndGet();
                            session.close(true);
                        }
                    }
                } finally {
                    running.decrementAndGet();
                }
                return null;
            };
            List<Future<Void>> opening = new ArrayList<>();
            for (int i = 0; i < OPENERS; i++) {
                opening.add(threads.submit(opener));
            }
            while (strangersMissing(strangers) && running.get() > 0) {
                Process stranger = new ProcessBuilder("sleep", "1000").start();
                synchronized (strangers) {
                    strangers.add(stranger);
                }
            }
            for (Future<Void> one : opening) {
                one.get();
            }
            sessions.closeAll();
            assertThat(opened.get()).isGreaterThanOrEqualTo(OPENERS * 50);
            assertThat(strangers).hasSize(STRANGERS).allMatch(Process::isAlive);
            assertThat(strangers).as("tags of strangers").allMatch(stranger -> tagOf(stranger.pid()) == Tag.NONE);
        } finally {
            for (Process stranger : strangers) {
                stranger.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void aProcessThatWasThereBeforeTheHostIsLeftAloneEvenIfASessionGivesItItsTag() throws Exception {
        Process stranger = new ProcessBuilder("sleep", "1000").start();
        try (Sessions sessions =
                Sessions.builder(LinuxHost.inOwnProcess(folder)).state(folder.resolve("state")).build()) {
            Session session = sessions.open(SessionSpec.of("/bin/sh", "-c", "exec prlimit --pid " + stranger.pid()
                    + " --locks=$(prlimit --locks --output SOFT,HARD --noheadings --raw | tr ' ' :)"));
            assertThat(session.awaitExit(Rig.PATIENCE).orElseThrow().code()).isZero();
            assertThat(tagOf(stranger.pid())).as("the stranger's tag").isNotEqualTo(Tag.NONE);
            session.close(true);
            assertThat(stranger.isAlive()).isTrue();
        } finally {
            stranger.destroyForcibly().waitFor();
        }
    }

    private static boolean strangersMissing(List<Process> strangers) {
        synchronized (strangers) {
            return strangers.size() < STRANGERS;
        }
    }

    @Test
    void variablesThatAShellWouldDropReachTheProgramAllTheSame() throws Exception {
        try (Sessions sessions = Sessions.builder(LinuxHost.at(folder)).state(folder.resolve("state")).build();
                Session session = sessions.open(SessionSpec.of("cat", "/proc/self/environ").pipe()
                        .env("a.b", "dotted")
                        .env("BASH_FUNC_f%%", "() { :; }")
                        .env("SHELLOPTS", "errexit"))) {
            assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
            assertThat(session.cursor().drainText(1 << 16).text())
                    .contains("a.b=dotted\0", "BASH_FUNC_f%%=() { :; }\0", "SHELLOPTS=errexit\0");
        }
    }

    @Test
    void theJvmDoesNotKeepATag() throws Exception {
        String before = locks();
        try (Sessions sessions =
                Sessions.builder(LinuxHost.inOwnProcess(folder)).state(folder.resolve("state")).build()) {
            Session first = sessions.open(SessionSpec.of("sleep", "1000"));
            assertThat(tagOf(first.snapshot().pid())).as("the session's tag").isNotEqualTo(Tag.NONE);
            assertThat(locks()).isEqualTo(before);
            Path notAProgram = Files.writeString(folder.resolve("script"), "exec sleep 1000\n");
            assertThat(notAProgram.toFile().setExecutable(true)).isTrue();
            Session second = sessions.open(SessionSpec.of("./script"));
            assertThat(tagOf(second.snapshot().pid())).as("of a script without #!").isNotEqualTo(Tag.NONE);
            assertThat(locks()).isEqualTo(before);
            Path noInterpreter = Files.writeString(folder.resolve("none"), "#!/no/such/interpreter\n");
            assertThat(noInterpreter.toFile().setExecutable(true)).isTrue();
            assertThatThrownBy(() -> sessions.open(SessionSpec.of("./none")));
            assertThat(locks()).as("after a spawn that failed").isEqualTo(before);
            Process child = new ProcessBuilder("sleep", "1000").start();
            sessions.closeAll();
            assertThat(child.isAlive()).isTrue();
            child.destroyForcibly().waitFor();
        }
    }

    private static String locks() throws Exception {
        return Files.readString(Path.of("/proc/self/limits")).lines()
                .filter(line -> line.startsWith("Max file locks"))
                .findFirst()
                .orElseThrow();
    }

    private static long tagOf(long pid) {
        try (Arena arena = Arena.ofConfined()) {
            return Tag.of(new ProcFile(new Libc(arena), arena), pid);
        }
    }
}
