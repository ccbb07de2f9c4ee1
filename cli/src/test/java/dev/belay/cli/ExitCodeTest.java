package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.cli.config.TimeSpan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExitCodeTest extends WithBelay {
    @AfterEach
    void nothingIsLeft() throws Exception {
        assertThat(belay.processes()).isEmpty();
        assertThat(belay.leftFiles()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"exit 0, 0", "exit 3, 3", "exit 255, 255", "kill -9 $$, 137", "kill -INT $$, 130"})
    void theCommandsExitIsBelays(String script, int code) throws Exception {
        assertThat(belay.run("run", "--", "sh", "-c", script).code()).isEqualTo(code);
        assertThat(belay.run("run", "--pipe", "--", "sh", "-c", script).code()).isEqualTo(code);
    }

    @Test
    void aProgramThatDoesNotExistIs127() throws Exception {
        Belay.Outcome outcome = belay.run("run", "no-such-program");
        assertThat(outcome.code()).isEqualTo(127);
        assertThat(outcome.err()).startsWith("belay: ").contains("no-such-program").hasLineCount(1);
    }

    @Test
    void aFileThatCannotBeExecutedIs126() throws Exception {
        Path file = Files.writeString(folder.resolve("plain"), "text");
        Belay.Outcome outcome = belay.run("run", "--", file.toString());
        assertThat(outcome.code()).isEqualTo(126);
        assertThat(outcome.err()).startsWith("belay: ").contains("plain").hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--workdir=no-such-folder", "--timeout=soon", "--timeout=0", "--env=NO_SUCH_VARIABLE",
            "--env==x"})
    void whatBelayCannotDoIs125(String option) throws Exception {
        Belay.Outcome outcome = belay.run("run", option, "--", "echo", "ran");
        assertThat(outcome.code()).isEqualTo(125);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).startsWith("belay: ").doesNotContain("\tat ").contains("belay run --help");
    }

    @Test
    void noCommandIs125() throws Exception {
        Belay.Outcome outcome = belay.run("run", "--pipe", "--");
        assertThat(outcome.code()).isEqualTo(125);
        assertThat(outcome.err()).contains("no command given").contains("belay run --help");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTimeoutIs124AndEndsEverything(boolean pipe) throws Exception {
        String mode = pipe ? "--pipe" : "--env=X=1";
        // How long a shell takes to begin is up to the machine: until it has begun, it gets twice the time.
        boolean begun = false;
        for (int millis = 300; !begun; millis *= 2) {
            Belay.Outcome outcome = belay.run("run", mode, "--timeout", millis + "ms", "--",
                    "sh", "-c", "echo begun; : > begun; sleep 100 & sleep 100");
            begun = Files.exists(folder.resolve("begun"));
            assertThat(outcome.code()).isEqualTo(124);
            assertThat(outcome.out()).isIn("begun\n", begun ? "begun\n" : "");
            assertThat(outcome.err()).isEqualTo(
                    "belay: timed out after " + TimeSpan.text(Duration.ofMillis(millis)) + "\n");
        }
    }

    @Test
    void aCommandThatIsInTimeIsNotTimedOut() throws Exception {
        assertThat(belay.run("run", "--timeout", "1h", "--", "sh", "-c", "exit 7").code()).isEqualTo(7);
    }

    @Test
    void whatTheCommandLeftRunningIsEnded() throws Exception {
        Belay.Outcome outcome = belay.run("run", "--pipe", "--", "sh", "-c", "setsid sleep 100 & echo done");
        assertThat(outcome.code()).isZero();
        assertThat(outcome.out()).isEqualTo("done\n");
    }
}
