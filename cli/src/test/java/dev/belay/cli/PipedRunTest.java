package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `belay run` in scripts: no terminal on its own standard streams.
class PipedRunTest extends WithBelay {
    @AfterEach
    void nothingIsLeft() throws Exception {
        assertThat(belay.processes()).isEmpty();
        assertThat(belay.leftFiles()).isEmpty();
    }

    @Test
    void theCommandHasATerminalAllTheSame() throws Exception {
        Belay.Outcome outcome = belay.run("run", "--", "bash", "-c", "tty && stty size && echo ok");
        assertThat(outcome.out()).matches("/dev/pts/\\d+\n24 80\nok\n");
        assertThat(outcome.err()).isEmpty();
    }

    @Test
    void pipedInputIsNotEchoed() throws Exception {
        Belay.Outcome quiet = belay.feed("2+2\n", "run", "--", "bc", "-q");
        assertThat(quiet.code()).isZero();
        assertThat(quiet.out().strip()).isEqualTo("4");
        // One that thinks it has a person before it introduces itself, but does not say what it was told.
        Belay.Outcome polite = belay.feed("2+2\n", "run", "--", "bc");
        assertThat(polite.code()).isZero();
        assertThat(polite.out()).doesNotContain("2+2");
        assertThat(polite.out().lines()).contains("4");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "one\n", "one\ntwo\n", "no end", "one\nno end"})
    void theInputArrivesWholeAndEnds(String input) throws Exception {
        Belay.Outcome outcome = belay.feed(input, "run", "--", "cat");
        assertThat(outcome.out()).isEqualTo(input);
        assertThat(outcome.code()).isZero();
    }

    @Test
    void everybodyWhoReadsSeesTheEndOfTheInput() throws Exception {
        assertThat(belay.feed("a\n", "run", "--", "sh", "-c", "cat; cat; cat; echo done").out()).isEqualTo("a\ndone\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit 4\n", "exit 4", "(exit 4)\n", "(exit 4)"})
    void aShellWithALineEditorTakesItsCommandsAndEnds(String input) throws Exception {
        assertThat(belay.feed(input, "run", "--", "bash", "--norc").code()).isEqualTo(4);
    }

    @Test
    void aMebibyteThroughPipesStaysAsItIs() throws Exception {
        byte[] bytes = new byte[1 << 20];
        new Random(1).nextBytes(bytes);
        Belay.Outcome outcome = belay.feed(bytes, "run", "--pipe", "--", "cat");
        assertThat(outcome.bytes()).isEqualTo(bytes);
        assertThat(outcome.code()).isZero();
    }

    @Test
    void standardErrorStaysApartOnPipes() throws Exception {
        Belay.Outcome outcome =
                belay.run("run", "--pipe", "--", "sh", "-c", "echo out; echo err >&2; echo more; ! tty >/dev/null");
        assertThat(outcome.out()).isEqualTo("out\nmore\n");
        assertThat(outcome.err()).isEqualTo("err\n");
        assertThat(outcome.code()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReaderThatGoesAwayEndsTheCommand(boolean pipe) throws Exception {
        Process process = pipe ? belay.start("run", "--pipe", "--", "yes") : belay.start("run", "--", "yes");
        assertThat(process.getInputStream().readNBytes(2)).isEqualTo("y\n".getBytes(StandardCharsets.UTF_8));
        process.getInputStream().close();
        assertThat(process.waitFor(Belay.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(141);
        assertThat(process.getErrorStream().readAllBytes()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSlowReaderGetsEveryByte(boolean pipe) throws Exception {
        int lines = 2_700_000; // 20.5 MB
        String mode = pipe ? "--pipe" : "--env=X=1";
        Process process = belay.start("run", mode, "--", "seq", "1", Integer.toString(lines));
        process.getOutputStream().close();
        Numbers expected = new Numbers();
        byte[] buffer = new byte[1 << 16];
        InputStream out = process.getInputStream();
        for (int count = out.read(buffer); count >= 0; count = out.read(buffer)) {
            expected.accept(buffer, count);
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
        assertThat(expected.seen()).isEqualTo(lines);
        assertThat(process.waitFor()).isZero();
    }

    /// Checks that what comes are the numbers from 1 on, one a line.
    private static final class Numbers {
        private long last;
        private long current;

        void accept(byte[] bytes, int count) {
            for (int i = 0; i < count; i++) {
                if (bytes[i] == '\n') {
                    assertThat(current).isEqualTo(++last);
                    current = 0;
                } else {
                    current = current * 10 + bytes[i] - '0';
                }
            }
        }

        long seen() {
            return last;
        }
    }

    @Test
    void aReaderThatPausesMakesTheCommandWait() throws Exception {
        Path done = folder.resolve("done");
        Process process = belay.start("run", "--", "sh", "-c", "seq 1 1000000; touch " + done);
        process.getOutputStream().close();
        Eventually.see("a log that is full", this::logBytes, bytes -> bytes >= 256 << 10);
        assertThat(done).doesNotExist();
        assertThat(process.getInputStream().readAllBytes()).hasSize(6_888_896);
        assertThat(process.waitFor()).isZero();
        assertThat(done).exists();
    }

    private long logBytes() throws Exception {
        long sum = 0;
        for (Path file : belay.leftFiles()) {
            try {
                sum += Files.size(file);
            } catch (NoSuchFileException _) {
                // Deleted since it was listed.
            }
        }
        return sum;
    }

    @Test
    void secretsOfTheCallerStayWithTheCaller() throws Exception {
        belay.env("FOO_TOKEN", "hush").env("MY_PASSWORD", "hush").env("PLAIN", "told").env("BELAY_X", "hush");
        assertThat(belay.run("run", "--", "env").out())
                .contains("PLAIN=told\n", "TERM=dumb\n")
                .containsPattern("BELAY_SESSION=\\w+/[\\w-]+/\\w+\n")
                .doesNotContain("hush");
    }

    @Test
    void variablesAreSetAndPassedOnByName() throws Exception {
        belay.env("FOO_TOKEN", "wanted");
        assertThat(belay.run("run", "--env", "FOO_TOKEN", "--env", "A=b=c", "--env", "E=", "--", "env").out())
                .contains("FOO_TOKEN=wanted\n", "A=b=c\n", "E=\n");
    }

    @Test
    void optionsAfterTheCommandBelongToTheCommand() throws Exception {
        assertThat(belay.run("run", "echo", "--pipe", "--", "--help", "@x", "-h").out())
                .isEqualTo("--pipe -- --help @x -h\n");
        assertThat(belay.run("run", "--pipe", "--", "echo", "--", "-n").out()).isEqualTo("-- -n\n");
    }

    @Test
    void theWorkingFolderIsTheCallersAlsoThroughLinks() throws Exception {
        Path real = Files.createDirectories(folder.resolve("real folder/ünder"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), real.getParent());
        assertThat(belay.run("run", "--", "pwd").out()).isEqualTo(folder.toRealPath() + "\n");
        assertThat(belay.run("run", "--workdir", link.resolve("ünder").toString(), "--", "pwd").out())
                .isEqualTo(real.toRealPath() + "\n");
        assertThat(belay.run("run", "--workdir", "link/..", "--", "pwd").out()).isEqualTo(folder.toRealPath() + "\n");
    }

    @Test
    void argumentsArriveAsTheyAre() throws Exception {
        assertThat(belay.run("run", "--pipe", "--", "printf", "%s|", "a b", "", "grün", "$HOME", "'\"\\", "\n").out())
                .isEqualTo("a b||grün|$HOME|'\"\\|\n|");
    }

    @Test
    void itRunsWhereNoStateFolderCanBeMade() throws Exception {
        belay.env("XDG_STATE_HOME", "/proc/no-such-place").env("TMPDIR", folder.toString());
        assertThat(belay.run("run", "--", "echo", "ok").out()).isEqualTo("ok\n");
    }
}
