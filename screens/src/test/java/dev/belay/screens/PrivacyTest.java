package dev.belay.screens;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Lease;
import dev.belay.Limits;
import dev.belay.ReadResult;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Size;
import dev.belay.screen.Screen;
import dev.belay.screen.ScreenLimits;
import dev.belay.screen.Sight;
import dev.belay.testkit.MovedClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// What is printed privately is shown to nobody else, in whatever way they look.
///
/// Public output has lower-case letters and sequences only; private output has upper-case ones.
class PrivacyTest extends ScreensFixture {
    private Session echoing(Sessions sessions) throws IOException {
        Files.writeString(workspace().resolve("echo.py"), """
                import os, tty
                tty.setraw(0)
                os.write(1, b'begun')
                while True:
                    data = os.read(0, 65536)
                    if not data:
                        break
                    os.write(1, data)
                """);
        return sessions.open(SessionSpec.of("python3", "echo.py").owner("alice"));
    }

    private static void print(Session session, String text) throws InterruptedException {
        long end = session.output().end() + text.length();
        assertThat(session.write(text)).isEqualTo(text.length());
        for (long at = end - text.length(); at < end; at = session.output().end()) {
            ReadResult read = session.output().read(at, 1, Duration.ofSeconds(60));
            assertThat(read).isInstanceOf(ReadResult.Chunk.class);
        }
    }

    private static String random(Random random, boolean secret) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 5 + random.nextInt(40); i++) {
            String word = (secret ? "SECRET" : "public").substring(random.nextInt(6));
            text.append(switch (random.nextInt(12)) {
                case 0 -> "\r\n";
                case 1 -> "\033[" + (1 + random.nextInt(24)) + ";" + (1 + random.nextInt(80)) + "H";
                case 2 -> "\033]0;" + word + "\007";
                case 3 -> "\033[7m" + word + "\033[0m";
                case 4 -> "\033]8;;" + (secret ? "XY" : "xy") + "\033\\";
                case 5 -> "\033[?1049" + (random.nextBoolean() ? "h" : "l");
                case 6 -> word + "\033[3b";
                default -> word;
            });
        }
        return text.toString();
    }

    @Test
    void nothingPrivateIsInAnythingPublic() throws Exception {
        Sessions sessions = sessions(Limits.DEFAULT.logBytes(Limits.MIN_LOG_BYTES));
        MovedClock clock = new MovedClock();
        Screens screens = closing(new Screens(sessions, PATIENT.thumbnailEvery(Duration.ofMillis(1)), clock));
        Session alice = echoing(sessions).as(ALICE);
        Session bob = alice.as(BOB);
        Session agent = alice.as(ALICE.asAgent());
        awaitText(alice, "begun");
        Random random = new Random(7);
        for (int round = 0; round < 60; round++) {
            if (random.nextInt(3) == 0) {
                try (Lease _ = alice.takeKeyboard(true, null)) {
                    print(alice, random(random, true));
                    isPublic(screens, bob, random);
                }
            } else {
                print(alice, random(random, false));
            }
            if (random.nextInt(8) == 0) {
                alice.resize(new Size(20 + random.nextInt(80), 5 + random.nextInt(30)));
            }
            if (random.nextInt(10) == 0) {
                clock.pass(Duration.ofSeconds(31));
                eventually("it is folded", () -> screens.stats().warmScreens() == 0);
            }
            isPublic(screens, random.nextBoolean() ? bob : agent, random);
        }
        assertThat(screens.search(alice, "[SECRET]", 1000)).as("Alice sees it herself").isNotEmpty();
    }

    /// No view has an upper-case letter. (Sequences of a repaint have, so it is shown on a screen first.)
    private static void isPublic(Screens screens, Session viewer, Random random) throws InterruptedException {
        assertPublic(screens.look(viewer, OptionalLong.empty(), 300).toString());
        long start = viewer.output().start();
        long end = Follower.log(viewer).end();
        long at = start + random.nextLong(end - start + 1);
        assertPublic(screens.look(viewer, OptionalLong.of(at), 300).toString());
        Repaint repaint = screens.repaint(viewer, 300);
        Screen painted = new Screen(repaint.size().cols(), repaint.size().rows(), ScreenLimits.defaults());
        painted.feed(repaint.bytes());
        assertPublic(painted.snapshot(Sight.ALL, 300).toString());
        assertThat(new String(repaint.bytes(), StandardCharsets.UTF_8)).doesNotContainPattern("[SECRT]{2}");
        assertThat(screens.search(viewer, "[A-Z]", 1000)).isEmpty();
        List<Thumbnail> made = screens.thumbnails(List.of(new Since(viewer, 0)), Duration.ofSeconds(60));
        assertThat(made).isNotEmpty();
        made.forEach(one -> assertPublic(one.snapshot().toString()));
    }

    /// Two letters of private output in a row. Names of enumerations stand after an equals sign.
    private static void assertPublic(String record) {
        assertThat(record.replaceAll("=[A-Z_0-9]+[,\\]]", "=,")).doesNotContainPattern("[SECRT]{2}|XY");
    }

    @Test
    void whatWasPrivateStaysSoWhenTheLogHasDroppedIt() throws Exception {
        Sessions sessions = sessions(Limits.DEFAULT.logBytes(Limits.MIN_LOG_BYTES));
        Screens screens = screens(sessions);
        Session alice = echoing(sessions).as(ALICE);
        awaitText(alice, "begun");
        try (Lease _ = alice.takeKeyboard(true, null)) {
            print(alice, "\033[1;1HSECRET");
        }
        for (int i = 0; i < 40; i++) {
            print(alice, "\033[10;1Hpublic ".repeat(400));
            long due = alice.output().end() - Limits.MIN_LOG_BYTES / 4;
            eventually("a checkpoint is made in time", () -> screens.known(alice) >= due);
        }
        assertThat(alice.output().start()).isGreaterThan(100);
        // A new range: the old one, which was dropped from the log, is forgotten.
        alice.takeKeyboard(true, null).close();
        assertThat(alice.output().privateRanges()).isEmpty();
        assertThat(screens.look(alice).text()).startsWith("SECRET");
        assertThat(screens.look(alice.as(BOB)).text()).doesNotContain("SECRET").contains("public");
        assertThat(screens.look(alice.as(ALICE.asAgent())).text()).doesNotContain("SECRET");
    }
}
