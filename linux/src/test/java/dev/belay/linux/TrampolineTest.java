package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.ErrorCode;
import dev.belay.Resources;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Signal;
import dev.belay.testkit.LeakCheck;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The stopped shell, in the shells that a system may have as its `sh`.
@ExtendWith(LeakCheck.class)
@Timeout(120)
class TrampolineTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Resources FEW = Resources.AS_BELAY.openFiles(64L);

    @TempDir
    Path folder = Path.of("");

    private static void release(Trampoline trampoline, Process process) {
        try (Arena arena = Arena.ofConfined()) {
            trampoline.release(new Libc(arena), arena, process.pid(), null);
        }
    }

    private static String output(Process process) throws Exception {
        try {
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void whatTheSessionSaysIsHeardAfterTheLimitsOnlyInDash() throws Exception {
        heardAfterTheLimitsOnly("/bin/dash");
    }

    @Test
    void whatTheSessionSaysIsHeardAfterTheLimitsOnlyInBash() throws Exception {
        heardAfterTheLimitsOnly("/bin/bash");
    }

    private void heardAfterTheLimitsOnly(String shell) throws Exception {
        Path early = folder.resolve("early");
        Path script = Files.writeString(folder.resolve("script"), "touch " + early + "; kill() { :; }\n");
        Map<String, String> env = Map.of(
                "BASH_FUNC_kill%%", "() { :; }",
                "BASH_ENV", script.toString(),
                "ENV", script.toString(),
                "SHELLOPTS", "xtrace:noexec",
                "PS4", "$(touch " + early + ")",
                "OPTIND", "none",
                "UID", "7",
                "PATH", String.valueOf(System.getenv("PATH")));
        List<String> show = List.of("cat", "/proc/self/limits", "/proc/self/environ");
        List<String> command = new ArrayList<>(Trampoline.command(show, env));
        command.set(0, shell);
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(folder.resolve("err").toFile());
        builder.environment().clear();
        builder.environment().putAll(Trampoline.environment(env));
        Process process = builder.start();
        release(new Trampoline(FEW), process);
        assertThat(output(process))
                .containsPattern("Max open files +64 +64 ")
                .contains("BASH_ENV=" + script + "\0", "PS4=$(touch ")
                .doesNotContain("belay_");
        assertThat(folder.resolve("err")).isEmptyFile();
        assertThat(early).doesNotExist();
    }

    @Test
    void theShellLoadsNothingThatTheSessionNames() throws Exception {
        // The loader itself tells which programs it heeds the session's variables in.
        try (Sessions sessions = Sessions.builder(LinuxHost.at(folder)).state(folder.resolve("state")).build()) {
            Session session = sessions.open(SessionSpec.of("/bin/cat", "/dev/null").pipe()
                    .env("LD_DEBUG", "files")
                    .env("LD_DEBUG_OUTPUT", folder.resolve("loaded").toString())
                    .resources(FEW));
            assertThat(session.awaitExit(PATIENCE).orElseThrow().code()).isZero();
        }
        try (Stream<Path> files = Files.list(folder)) {
            String loaded = files.filter(file -> file.getFileName().toString().startsWith("loaded."))
                    .map(TrampolineTest::text)
                    .collect(Collectors.joining());
            assertThat(loaded).contains("initialize program: /bin/cat").doesNotContain("initialize program: /bin/sh");
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void aShellThatDoesNotStopIsKilled() throws Exception {
        Process process = new ProcessBuilder("sleep", "1000").start();
        SessionException refusal = catchThrowableOfType(
                SessionException.class, () -> release(new Trampoline(FEW, Duration.ofMillis(50)), process));
        assertThat(refusal.code()).isEqualTo(ErrorCode.SPAWN_FAILED);
        assertThat(refusal).hasMessageContaining("/bin/sh");
        output(process);
        assertThat(process.exitValue()).isEqualTo(128 + Signal.KILL.number());
    }

    @Test
    void theTimeBetweenTheWarningAndTheEndIsNoMoreThanBelayItselfHas() throws Exception {
        String show = "import resource; print(resource.getrlimit(resource.RLIMIT_CPU))";
        Process process = new ProcessBuilder(
                "/bin/sh", "-c", "ulimit -t 100; kill -STOP $$; exec python3 -c '" + show + "'").start();
        release(new Trampoline(Resources.AS_BELAY.cpu(Duration.ofSeconds(98))), process);
        assertThat(output(process)).isEqualTo("(98, 100)\n");
    }
}
