package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Signal;
import dev.belay.host.HostProcess.Ended;
import dev.belay.testkit.LeakCheck;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// What the contract cannot ask for: a machine so slow that the time is over before anything is done.
@ExtendWith(LeakCheck.class)
@Timeout(120)
class EndingTest {
    @Test
    void processesAreKilledHoweverLongTheLookForThemTook() throws Exception {
        Process process = new ProcessBuilder("sleep", "1000").start();
        try (Loop loop = new Loop(); Arena arena = Arena.ofShared()) {
            ProcFile files = new ProcFile(new Libc(arena), arena);
            List<Proc> seen = List.of(Objects.requireNonNull(Proc.read(files, process.pid())));
            // No patience at all, as if the time were over before the first look was done.
            Ended ended =
                    new Ending(loop, process.pid(), () -> seen, () -> {}, () -> {}, Duration.ZERO).run(Duration.ZERO);
            assertThat(ended.killed()).isEqualTo(1);
            assertThat(ended.left()).singleElement().asString().contains("does not die");
            assertThat(process.waitFor()).isEqualTo(128 + Signal.KILL.number());
        }
    }
}
