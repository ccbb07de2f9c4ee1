package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.ErrorCode;
import dev.belay.Mode;
import dev.belay.Resources;
import dev.belay.SessionException;
import dev.belay.Size;
import dev.belay.host.HostProcess;
import dev.belay.host.Launch;
import dev.belay.testkit.LeakCheck;
import dev.belay.testkit.Rig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What the contract cannot test because core never does it, and the small parts of the host.
@ExtendWith(LeakCheck.class)
@Timeout(120)
class LinuxHostTest {
    @Test
    void aProcessThatIsEndedBeforeItIsHeardLeavesNothingAndTheHostGoesOn() {
        try (LinuxHost host = LinuxHost.at(Path.of("/"))) {
            for (Mode mode : List.of(new Mode.Pty(Size.DEFAULT), new Mode.Pipe())) {
                HostProcess process = host.spawn(
                        new Launch("test/one", List.of("sleep", "1000"), ".", Map.of(), mode, Resources.AS_BELAY));
                assertThat(Rig.lives(process.pid())).isTrue();
                assertThat(process.end(Duration.ZERO).left()).isEmpty();
                assertThat(Rig.lives(process.pid())).isFalse();
            }
        }
    }

    @Test
    void aWorkspaceThatDoesNotExistIsNamed() {
        SessionException refusal =
                catchThrowableOfType(SessionException.class, () -> LinuxHost.at(Path.of("/no/such/folder")));
        assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(refusal).hasMessageContaining("/no/such/folder");
    }

    @Test
    void aCLibraryThatIsTooOldIsToldByWhatItLacks() {
        SessionException refusal =
                catchThrowableOfType(SessionException.class, () -> Libc.find("posix_spawn_of_the_future"));
        assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(refusal).hasMessageContaining("posix_spawn_of_the_future").hasMessageContaining("2.34 or newer");
    }

    @ParameterizedTest
    @CsvSource({
            "Max file locks            unlimited            unlimited            locks, 0",
            "Max file locks            1024                 2048                 locks, 0",
            "Max file locks            288230376151711745   unlimited            locks, 288230376151711745",
            "Max file locks            18446744073709551614 unlimited            locks, 0",
            "Max cpu time              unlimited            unlimited            seconds, 0"
    })
    void onlyATagIsTakenForATag(String limits, long tag) {
        assertThat(Tag.parse(limits)).isEqualTo(tag);
    }

    @Test
    void aTagIsNeverGivenTwice() {
        assertThat(java.util.stream.Stream.generate(() -> Tag.next("a")).limit(10_000)).doesNotHaveDuplicates();
        assertThat(Tag.parse("Max file locks            " + Tag.next("a") + "   unlimited")).isPositive();
    }
}
