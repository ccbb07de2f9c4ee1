package dev.belay;

import static dev.belay.Stage.isRefused;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sessions of several owners, and actors who only watch them.
class OwnersTest {
    @TempDir
    Path folder;

    @Test
    void idsArePerOwner() {
        try (Stage stage = Stage.in(folder)) {
            Stage.Act ann = stage.open(SessionSpec.of("sh").id("x").owner("ann"));
            Stage.Act bob = stage.open(SessionSpec.of("sh").id("x").owner("bob"));
            isRefused(ErrorCode.ALREADY_EXISTS, () -> stage.open(SessionSpec.of("sh").id("x").owner("bob")));
            ann.process().emit("hers");
            bob.process().emit("his");
            assertThat(stage.sessions.list()).map(session -> session.spec().owner()).containsExactly("ann", "bob");
            assertThat(stage.sessions.named("x")).hasSize(2);
            assertThat(stage.sessions.find("x", "ann").orElseThrow().output().end()).isEqualTo(4);
            assertThat(stage.sessions.find("x", "eve")).isEmpty();
            isRefused(ErrorCode.INVALID_REQUEST, () -> stage.sessions.find("x"));
            assertThat(ann.process().launch.mark()).isNotEqualTo(bob.process().launch.mark());
            ann.session().close();
            assertThat(stage.sessions.find("x").orElseThrow().identity()).isEqualTo(bob.session().identity());
            assertThat(bob.session().output().end()).as("the log of the other").isEqualTo(3);
            assertThat(Folders.files(stage.logs())).hasSize(1);
        }
    }

    @Test
    void anIdentityIsNotGivenToALaterSession() {
        try (Stage stage = Stage.in(folder)) {
            Stage.Act first = stage.open("a");
            first.session().close();
            Stage.Act second = stage.open("a");
            assertThat(second.session().identity()).isNotEqualTo(first.session().identity());
            assertThat(second.process().launch.mark()).isEqualTo(second.session().identity());
        }
    }

    @Test
    void somebodyWhoOnlyWatchesDoesNotKeepASessionAlive() throws Exception {
        MovedTime time = new MovedTime();
        try (Stage stage = Stage.in(folder, Limits.DEFAULT, time)) {
            Session session = stage.open(SessionSpec.of("sh").idleTimeout(Duration.ofMinutes(10))).session();
            Session watched = session.as(new Actor("eve").asWatcher());
            Running<Optional<ExitStatus>> waiter = Running.start(() -> watched.awaitExit(Duration.ofDays(1))).parked();
            time.pass(Duration.ofMinutes(9));
            watched.output().read(0, 10);
            watched.output().read(0, 10, Duration.ZERO);
            watched.cursor().await(Until.match("never"), Duration.ZERO);
            watched.viewing().next(Duration.ZERO);
            time.pass(Duration.ofMinutes(1));
            assertThat(waiter.result()).isPresent();
            assertThat(session.snapshot().endReason()).isEqualTo(EndReason.IDLE_TIMEOUT);
        }
    }

    @Test
    void somebodyWhoOnlyWatchesChangesNothing() {
        try (Stage stage = Stage.in(folder)) {
            Session watched = stage.open().session().as(new Actor("eve", true).asWatcher());
            isRefused(ErrorCode.DENIED, () -> watched.write("x"));
            isRefused(ErrorCode.DENIED, () -> watched.writeOnce(new byte[1], "1"));
            isRefused(ErrorCode.DENIED, () -> watched.resize(Size.DEFAULT));
            isRefused(ErrorCode.DENIED, () -> watched.signal(Signal.INT));
            isRefused(ErrorCode.DENIED, () -> watched.takeKeyboard(false, null));
            isRefused(ErrorCode.DENIED, watched::drainer);
            isRefused(ErrorCode.DENIED, watched::close);
            assertThat(watched.undrained()).isZero();
        }
    }
}
