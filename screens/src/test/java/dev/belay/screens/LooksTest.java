package dev.belay.screens;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.ErrorCode;
import dev.belay.Limits;
import dev.belay.OutputLog.Resize;
import dev.belay.ReadResult.Chunk;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Size;
import dev.belay.screen.Row;
import dev.belay.screen.Screen;
import dev.belay.screen.ScreenLimits;
import dev.belay.screen.Sight;
import dev.belay.screen.Snapshot;
import dev.belay.testkit.MovedClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Looks at the screens of real sessions.
class LooksTest extends ScreensFixture {
    @Test
    void aLookShowsWhatAPersonWouldSee() throws Exception {
        Sessions sessions = sessions();
        Screens screens = screens(sessions);
        Session session = shell(sessions, "printf 'one\\r\\ntwo\\033[1;1HO\\033[7m!\\033[0m'; exec sleep 60");
        awaitText(session, "!");
        Snapshot seen = screens.look(session);
        assertThat(seen.text()).isEqualTo("O!e\ntwo");
        assertThat(seen.offset()).isEqualTo(session.output().end());
        assertThat(seen.rows()).hasSize(24);
        Repaint repaint = screens.repaint(session, 10);
        assertThat(repaint.size()).isEqualTo(new Size(80, 24));
        Screen painted = new Screen(80, 24, ScreenLimits.defaults());
        painted.feed(repaint.bytes());
        assertThat(painted.snapshot(Sight.ALL, 0).text()).isEqualTo("O!e\ntwo");
    }

    @Test
    void historyGoesFartherBackThanTheScreenKeeps() throws Exception {
        Sessions sessions = sessions(Limits.DEFAULT.logBytes(256 << 10));
        Screens screens = screens(sessions);
        Session session = shell(sessions, "seq 20000; printf end; exec sleep 60");
        awaitText(session, "end");
        Snapshot seen = screens.look(session, OptionalLong.empty(), 3000);
        assertThat(seen.history()).hasSize(3000).allMatch(Row::certain);
        List<String> texts = seen.history().stream().map(Row::text).toList();
        assertThat(texts.getFirst()).isEqualTo(Integer.toString(20_000 - 22 - 3000));
        assertThat(texts.getLast()).isEqualTo(Integer.toString(20_000 - 23));
        assertThat(screens.look(session, OptionalLong.empty(), 100).history()).hasSize(100);
        // More than the log has: all that it has, and perhaps what a checkpoint kept above it.
        assertThat(screens.look(session, OptionalLong.empty(), 13_000).history().size()).isBetween(3000, 13_000);
        Screen painted = new Screen(80, 24, ScreenLimits.defaults().withKeptRows(3000));
        painted.feed(screens.repaint(session, 3000).bytes());
        assertThat(painted.snapshot(Sight.ALL, 3000).history().stream().map(Row::text).toList()).isEqualTo(texts);
        assertThat(screens.stats().warmBytes()).isLessThan(1 << 20);
    }

    @Test
    void pipesAndClosedSessionsHaveNoScreen() throws Exception {
        Sessions sessions = sessions();
        Screens screens = screens(sessions);
        Session piped = sessions.open(SessionSpec.of("true").pipe());
        SessionException onPipes = catchThrowableOfType(SessionException.class, () -> screens.look(piped));
        assertThat(onPipes).hasMessageContaining("runs on pipes");
        assertThat(onPipes.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
        Session closed = shell(sessions, "exec sleep 60");
        screens.look(closed);
        closed.close();
        SessionException gone = catchThrowableOfType(SessionException.class, () -> screens.look(closed));
        assertThat(gone.code()).isEqualTo(ErrorCode.NOT_FOUND);
        eventually("nothing is kept", () -> screens.stats().warmScreens() == 0);
    }

    /// Lines, cursor movements, sizes: random, but the same each time.
    private Session random(Sessions sessions, long seed, int lines) throws IOException {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < lines; i++) {
            text.append(switch (random.nextInt(6)) {
                case 0 -> "\033[" + (1 + random.nextInt(24)) + ";" + (1 + random.nextInt(80)) + "H";
                case 1 -> "\033[3" + random.nextInt(8) + "m";
                case 2 -> "\033[K\033[?25l";
                default -> "";
            });
            text.append("line ").append(i).append(' ').append("x".repeat(random.nextInt(120))).append("\r\n");
        }
        Files.writeString(workspace().resolve("text"), text);
        return shell(sessions, "stty -opost; cat text; exec sleep 60");
    }

    /// What a new screen shows that is fed with everything up to an offset.
    private static Screen fresh(Session session, long to, int keptRows) {
        List<Resize> sizes = session.output().resizes();
        Size first = sizes.getFirst().size();
        Screen screen = new Screen(first.cols(), first.rows(), ScreenLimits.defaults().withKeptRows(keptRows));
        while (true) {
            for (Resize size : sizes) {
                if (size.offset() == screen.offset()) {
                    screen.resize(size.size().cols(), size.size().rows());
                }
            }
            if (screen.offset() >= to) {
                return screen;
            }
            long next = to;
            for (Resize size : sizes) {
                next = size.offset() > screen.offset() ? Math.min(next, size.offset()) : next;
            }
            int most = (int) Math.min(100_000, next - screen.offset());
            screen.feed(((Chunk) session.output().read(screen.offset(), most)).bytes());
        }
    }

    @Test
    void anyOffsetShowsWhatAFreshScreenShows() throws Exception {
        Sessions sessions = sessions(Limits.DEFAULT.logBytes(1 << 20));
        Screens screens = screens(sessions);
        Session session = random(sessions, 1, 4000);
        awaitText(session, "line 3999.*\\n");
        session.resize(new Size(60, 20));
        session.resize(new Size(100, 30));
        Random random = new Random(2);
        long end = session.output().end();
        assertThat(screens.look(session)).isEqualTo(fresh(session, end, 200).snapshot(Sight.ALL, 0));
        for (int i = 0; i < 40; i++) {
            long offset = random.nextLong(end + 1);
            for (int history : new int[] {200, 1000}) {
                assertThat(screens.look(session, OptionalLong.of(offset), history)).as("at %d of %d", offset, end)
                        .isEqualTo(fresh(session, offset, history).snapshot(Sight.ALL, history));
            }
        }
        assertThat(screens.stats().checkpoints()).as("one for each segment").isEqualTo((int) (end / (1 << 17)));
        assertThatThrownBy(() -> screens.look(session, OptionalLong.of(end + 1))).hasMessageContaining("is outside");
    }

    @Test
    void aScreenIsFoldedAfterAWhileAndIsTheSameAfterwards() throws Exception {
        Sessions sessions = sessions();
        MovedClock clock = new MovedClock();
        Screens screens = closing(new Screens(sessions, PATIENT, clock));
        Session session = random(sessions, 3, 500);
        awaitText(session, "line 499.*\\n");
        Snapshot before = screens.look(session, OptionalLong.empty(), 200);
        assertThat(screens.stats().warmScreens()).isEqualTo(1);
        assertThat(screens.stats().warmBytes()).isPositive();
        clock.pass(Duration.ofSeconds(31));
        eventually("it is folded", () -> screens.stats().warmScreens() == 0);
        assertThat(screens.stats().warmBytes()).isZero();
        assertThat(screens.stats().checkpoints()).isEqualTo(1);
        assertThat(screens.look(session, OptionalLong.empty(), 200)).isEqualTo(before);
        session.close();
        eventually("nothing is kept", () -> screens.stats().checkpoints() == 0 && screens.stats().warmScreens() == 0);
    }

    @Test
    void warmScreensShareTheirMemory() throws Exception {
        Sessions sessions = sessions(Limits.DEFAULT.maxSessions(20));
        Screens screens = closing(new Screens(sessions, PATIENT.warmBytes(100_000)));
        for (int i = 0; i < 12; i++) {
            Session session = shell(sessions, "printf screen" + i + "; exec sleep 60");
            awaitText(session, "screen");
            assertThat(screens.look(session).text()).isEqualTo("screen" + i);
            assertThat(screens.stats().warmBytes()).isLessThanOrEqualTo(100_000);
        }
        assertThat(screens.stats().warmScreens()).isBetween(1, 11);
        for (Session session : sessions.list()) {
            assertThat(screens.look(session).text()).startsWith("screen");
        }
    }

    @Test
    void aProgramWhoseBeginningWasDroppedIsKnownExactly() throws Exception {
        // As htop does: a frame once, then small changes, more than the log keeps.
        Sessions sessions = sessions(Limits.DEFAULT.logBytes(Limits.MIN_LOG_BYTES));
        Screens screens = screens(sessions);
        Files.writeString(workspace().resolve("top.py"), """
                import os, sys, time
                out = os.fdopen(1, 'wb', buffering=0)
                out.write(b'\\x1b[?1049h\\x1b[2J\\x1b[1;1Hheader\\x1b[24;1Hfooter')
                for i in range(20000):
                    out.write(b'\\x1b[12;1Hcount %05d  ' % i)
                    if i % 1000 == 999:
                        sys.stdin.readline()
                time.sleep(600)
                """);
        Session session = sessions.open(SessionSpec.of("python3", "top.py").owner("alice"));
        for (int i = 999; i < 20_000; i += 1000) {
            awaitText(session, "count %05d".formatted(i));
            // The next 20 KB fit in: a log of two segments may keep one only.
            long due = session.output().end() - Limits.MIN_LOG_BYTES / 4;
            eventually("a checkpoint is made in time", () -> screens.known(session) >= due);
            session.write("\n");
        }
        assertThat(session.output().start()).as("the beginning is gone").isPositive();
        assertThat(screens.stats().looks()).isZero();
        Snapshot seen = screens.look(session);
        assertThat(seen.alternate()).isTrue();
        assertThat(seen.rows().getFirst().text()).isEqualTo("header");
        assertThat(seen.rows().get(11).text()).startsWith("count 19999");
        assertThat(seen.rows().getLast().text()).isEqualTo("footer");
        assertThat(seen.rows()).allMatch(Row::certain);
    }

    @Test
    void withoutTheBeginningRowsAreUncertain() throws Exception {
        Sessions sessions = sessions(Limits.DEFAULT.logBytes(Limits.MIN_LOG_BYTES));
        Session session = shell(sessions, "printf 'top\\n'; yes | head -c 300000; printf end; exec sleep 60");
        awaitText(session, "end$");
        Screens screens = screens(sessions);
        assertThat(screens.look(session).offset()).isEqualTo(session.output().end());
        Snapshot atStart = screens.look(session, OptionalLong.of(session.output().start()));
        assertThat(atStart.rows()).noneMatch(Row::certain);
        assertThatThrownBy(() -> screens.look(session, OptionalLong.of(0))).hasMessageContaining("is kept from");
    }

    @Test
    void aSearchFindsLinesThatHaveLeftTheScreen() throws Exception {
        Sessions sessions = sessions();
        Screens screens = screens(sessions);
        Session session = shell(sessions, "i=0; while [ $i -lt 3000 ]; do echo row $i; i=$((i+1)); done; "
                + "printf '%0100d needle\\n' 7; printf 'gone\\rkept\\n'; exec sleep 60");
        awaitText(session, "kept\\s");
        List<Found> rows = screens.search(session, "row 1?23$", 10);
        assertThat(rows).extracting(Found::text).containsExactly("row 23", "row 123");
        String output = new String(((Chunk) session.output().read(rows.get(1).offset(), 7)).bytes(),
                StandardCharsets.UTF_8);
        assertThat(output).isEqualTo("row 123");
        assertThat(screens.search(session, "7 needle", 10)).extracting(Found::text)
                .containsExactly("0".repeat(99) + "7 needle");
        assertThat(screens.search(session, "^row", 5)).hasSize(5).last().extracting(Found::text).isEqualTo("row 2999");
        assertThat(screens.search(session, "gone", 5)).isEmpty();
        assertThatThrownBy(() -> screens.search(session, "(", 5)).hasMessageContaining("is not valid");
    }

    @Test
    void aWaitEndsWhenTheScreenShowsIt() throws Exception {
        Sessions sessions = sessions();
        Screens screens = screens(sessions);
        Session session = shell(sessions,
                "printf 'one two'; read x; printf '\\033[2J\\033[1;1H%s' menu; read x; exit 3");
        ScreenWaited first = screens.await(session, UntilScreen.match("one.*two"), PATIENCE);
        assertThat(first.fired()).isEqualTo(ScreenWaited.Fired.MATCH);
        assertThat(first.text()).isEqualTo("one two");
        session.write("\n");
        assertThat(screens.await(session, UntilScreen.match("(?m)^menu$"), PATIENCE).fired())
                .isEqualTo(ScreenWaited.Fired.MATCH);
        assertThat(screens.await(session, UntilScreen.settled(Duration.ofMillis(50)), PATIENCE).fired())
                .isEqualTo(ScreenWaited.Fired.SETTLED);
        assertThat(screens.await(session, UntilScreen.match("never"), Duration.ofMillis(50)).fired())
                .isEqualTo(ScreenWaited.Fired.TIMEOUT);
        session.write("\n");
        assertThat(screens.await(session, UntilScreen.match("never").orExited(), PATIENCE).fired())
                .isEqualTo(ScreenWaited.Fired.EXIT);
    }

    @Test
    void thumbnailsHaveTheRowsThatChanged() throws Exception {
        Sessions sessions = sessions();
        Screens screens = screens(sessions);
        Session still = shell(sessions, "printf still; exec sleep 60");
        Session moving = shell(sessions, "printf 'a\\nb\\nc'; read x; printf 'X\\033[1;1HY'; exec sleep 60");
        awaitText(still, "still");
        awaitText(moving, "c");
        List<Thumbnail> first = List.of();
        while (first.size() < 2) {
            first = screens.thumbnails(List.of(new Since(still, 0), new Since(moving, 0)), PATIENCE);
        }
        List<Since> known = first.stream().map(one -> new Since(one.session(), one.snapshot().offset())).toList();
        assertThat(screens.thumbnails(known, Duration.ofMillis(20))).isEmpty();
        moving.write("\n");
        awaitText(moving, "Y");
        Thumbnail then = screens.thumbnails(known, PATIENCE).getFirst();
        while (!then.snapshot().text().startsWith("Y")) {
            then = screens.thumbnails(List.of(new Since(moving, then.snapshot().offset())), PATIENCE).getFirst();
        }
        assertThat(then.session().id()).isEqualTo(moving.id());
        assertThat(then.changed()).extracting(Row::text).contains("Y").doesNotContain("b");
        assertThat(screens.stats().looks()).isLessThan(20);
    }

    @Test
    void theThreadEndsWithTheScreens() throws Exception {
        Sessions sessions = sessions();
        Screens screens = new Screens(sessions);
        Session session = shell(sessions, "printf text; exec sleep 60");
        awaitText(session, "text");
        screens.look(session);
        assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName).contains("belay-screen");
        screens.close();
        assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName).doesNotContain("belay-screen");
        assertThat(screens.stats().warmScreens()).isZero();
        assertThat(screens.stats().warmBytes()).isZero();
    }
}
