package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Signals to belay itself, in scripts.
class SignalTest extends WithBelay {
    @AfterEach
    void nothingIsLeft() throws Exception {
        Eventually.see("no process left", belay::processes, List::isEmpty);
    }

    private Process begun(boolean pipe, String script) throws Exception {
        Process process = belay.start("run", pipe ? "--pipe" : "--env=X=1", "--", "sh", "-c", "echo begun; " + script);
        assertThat(process.getInputStream().readNBytes(6)).isEqualTo("begun\n".getBytes(StandardCharsets.UTF_8));
        return process;
    }

    private static void send(String signal, Process process) throws Exception {
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
    }

    private static int ended(Process process) throws Exception {
        assertThat(process.waitFor(Belay.PATIENCE_SECONDS, TimeUnit.SECONDS)).as("belay ends").isTrue();
        return process.exitValue();
    }

    @ParameterizedTest
    @CsvSource({"TERM, false, 143", "TERM, true, 143", "HUP, false, 129"})
    void beingToldToEndEndsTheWholeSession(String signal, boolean pipe, int code) throws Exception {
        Process process = begun(pipe, "setsid sleep 100 & sleep 100");
        send(signal, process);
        assertThat(ended(process)).isEqualTo(code);
        assertThat(belay.processes()).isEmpty();
        assertThat(belay.leftFiles()).isEmpty();
        assertThat(process.getErrorStream().readAllBytes()).isEmpty();
    }

    /// The tests may run with ignored signals, as under nohup, and children inherit that.
    @Test
    void testsStartTheCommandWithDefaultSignals() throws Exception {
        List<String> ignoring = new ArrayList<>(List.of("/bin/sh", "-c", "trap '' HUP INT QUIT; exec \"$@\"", "sh"));
        ignoring.addAll(Belay.command("run", "--pipe", "--", "sh", "-c", "echo begun; sleep 100"));
        Process process = belay.start(ignoring);
        assertThat(process.getInputStream().readNBytes(6)).isEqualTo("begun\n".getBytes(StandardCharsets.UTF_8));
        send("HUP", process);
        assertThat(ended(process)).isEqualTo(129);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anInterruptGoesToTheCommand(boolean pipe) throws Exception {
        Process process = begun(pipe, "trap 'echo caught; exit 9' INT; echo set; while :; do sleep 1; done");
        assertThat(process.getInputStream().readNBytes(4)).isEqualTo("set\n".getBytes(StandardCharsets.UTF_8));
        send("INT", process);
        assertThat(ended(process)).isEqualTo(9);
        assertThat(process.getInputStream().readAllBytes()).asString().contains("caught");
    }

    @Test
    void aCommandEndedByAnInterruptIs130() throws Exception {
        Process process = begun(true, "exec sleep 100");
        send("INT", process);
        assertThat(ended(process)).isEqualTo(130);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theSecondInterruptInARowEndsACommandThatIgnoresThem(boolean pipe) throws Exception {
        Process process = begun(pipe, "trap 'echo no' INT; echo set; while :; do sleep 0.1; done");
        assertThat(process.getInputStream().readNBytes(4)).isEqualTo("set\n".getBytes(StandardCharsets.UTF_8));
        send("INT", process);
        assertThat(process.getInputStream().readNBytes(3)).isEqualTo("no\n".getBytes(StandardCharsets.UTF_8));
        send("INT", process);
        assertThat(ended(process)).isGreaterThan(128);
        assertThat(belay.processes()).isEmpty();
    }

    @Test
    void whenBelayIsKilledTheCommandIsHungUp() throws Exception {
        Process process = begun(false, "exec sleep 100");
        assertThat(belay.processes()).hasSize(2);
        send("KILL", process);
        assertThat(ended(process)).isEqualTo(137);
        Eventually.see("the leader gone", belay::processes, List::isEmpty);
    }
}
