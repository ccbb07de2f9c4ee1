package dev.belay.screens;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.ReadResult;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Time;
import dev.belay.screen.Screen;
import dev.belay.screen.Sight;
import dev.belay.screen.Snapshot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Programs ask their terminal, and count the answers.
class QuestionsTest extends ScreensFixture {
    /// Leaves line mode, asks, and shows what comes until a terminator and a while after it, as hex.
    private static final String ASKER =
            """
                    import os, sys, termios, tty, select
                    tty.setraw(0)
                    def ask(question, last):
                        os.write(1, question)
                        got = b''
                        while not got.endswith(last):
                            got += os.read(0, 1)
                        while select.select([0], [], [], 0.3)[0]:
                            got += os.read(0, 1)
                        os.write(1, b'<' + got.hex().encode() + b'>')
                    """;

    private Session asker(Sessions sessions, String questions) throws IOException {
        Files.writeString(workspace().resolve("ask.py"), ASKER + questions);
        return sessions.open(SessionSpec.of("python3", "ask.py").owner("alice"));
    }

    private static String hex(String answer) {
        StringBuilder hex = new StringBuilder();
        for (byte one : answer.getBytes(StandardCharsets.UTF_8)) {
            hex.append(String.format("%02x", one));
        }
        return "<" + hex + ">";
    }

    @Test
    void aSessionThatNobodyWatchesIsAnswered() throws Exception {
        Sessions sessions = sessions();
        Screens screens = screens(sessions);
        Session session = asker(sessions, """
                ask(b'\\x1b[c', b'c')
                ask(b'ab\\r\\ncd\\x1b[6n', b'R')
                ask(b'\\x1b[18t', b't')
                ask(b'\\x1b]11;?\\x1b\\\\', b'\\\\')
                """);
        awaitExit(session);
        awaitText(session, hex("\033[?1;2c"));
        awaitText(session, hex("\033[2;3R"));
        awaitText(session, hex("\033[8;24;80t"));
        awaitText(session, hex("\033]11;rgb:0000/0000/0000\033\\"));
        eventually("4 answers", () -> screens.stats().answers() == 4);
        assertThat(screens.stats().unanswered()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void viewersGetNoQuestionAndTheServerAnswersOnce(int viewers) throws Exception {
        Sessions sessions = sessions();
        Screens screens = screens(sessions);
        Session session = asker(sessions, "ask(b'here \\x1b[6n', b'R')\nask(b'there \\x1b[c', b'c')\n");
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < viewers; i++) {
            try (QuestionMask mask = screens.mask(session, false)) {
                seen.add(watch(session, mask));
            }
        }
        awaitText(session, hex("\033[1;6R"));
        eventually("2 answers", () -> screens.stats().answers() == 2);
        for (String each : seen) {
            assertThat(each).contains("here \0\0\0\0").contains("there \0\0\0").doesNotContain("\033");
        }
        assertThat(screens.stats().masks()).isZero();
    }

    @Test
    void aViewerThatAnswersGetsTheQuestionsSinceItCame() throws Exception {
        Sessions sessions = sessions();
        Screens screens = screens(sessions);
        Session session = asker(sessions, """
                ask(b'first \\x1b[c', b'c')
                os.read(0, 1)
                ask(b'second \\x1b[c', b'!')
                os.read(0, 1)
                ask(b'third \\x1b[c', b'c')
                """);
        awaitText(session, "first.*>");
        QuestionMask mask = screens.mask(session, true);
        session.write("g");
        String seen = read(session, mask, "second \033[c");
        assertThat(seen).contains("first \0\0\0").contains("second \033[c");
        // The server is silent, so only this is read.
        session.write("viewer!");
        awaitText(session, hex("viewer!"));
        mask.close();
        session.write("g");
        awaitText(session, "third.*" + hex("\033[?1;2c"));
        eventually("2 answers", () -> screens.stats().answers() == 2);
    }

    @Test
    void aProgramAboutToLeaveLineModeIsWaitedFor() throws Exception {
        Sessions sessions = sessions();
        closing(new Screens(sessions, PATIENT.replyWithin(PATIENCE)));
        Files.writeString(workspace().resolve("late.py"), """
                import os, time, tty
                os.write(1, b'\\x1b[c')
                time.sleep(0.05)
                tty.setraw(0)
                got = b''
                while not got.endswith(b'c'):
                    got += os.read(0, 1)
                os.write(1, b'got ' + got.hex().encode())
                """);
        Session session = sessions.open(SessionSpec.of("python3", "late.py").owner("alice"));
        awaitText(session, "got 1b5b3f313b3263");
    }

    @Test
    void aFileFullOfQuestionsTypesNothingAtAPrompt() throws Exception {
        Sessions sessions = sessions();
        Screens screens = screens(sessions);
        Files.writeString(workspace().resolve("questions"), "\033[c\033[6n\033[5n\033]11;?\007".repeat(8) + "\n");
        Session session = sessions.open(SessionSpec.of("bash", "--norc", "--noprofile", "-i").owner("alice")
                .env("PS1", "ready> "));
        awaitText(session, "ready> ");
        session.write("true; cat questions\r");
        for (int i = 0; i < 5; i++) {
            long end = session.output().end();
            session.write("cat questions; echo done $((" + i + " + 100))\r");
            awaitText(session, "(?s)done " + (i + 100) + "\\s.*ready> ");
            assertThat(session.output().end()).isGreaterThan(end);
        }
        eventually("all questions are decided", () -> screens.stats().unanswered() >= 1);
        session.write("echo typed:nothing\r");
        // Once as it is typed, once as it is printed.
        awaitText(session, "(?s)echo typed:nothing.*typed:nothing");
        assertThat(screens.stats().answers()).isZero();
    }

    @Test
    void aShellThatAsksAndWaitsIsAnswered() throws Exception {
        // As fish 4 does: it has run other programs, asks, and waits.
        Sessions sessions = sessions();
        screens(sessions);
        Files.writeString(workspace().resolve("fishy.py"), "import subprocess\nsubprocess.run(['true'])\n" + ASKER
                + "ask(b'\\x1b[?u\\x1b[>0q\\x1b[c', b'c')\n");
        Session session = sessions.open(SessionSpec.of("python3", "fishy.py").owner("alice"));
        awaitText(session, hex("\033P>|Belay\033\\\033[?1;2c"));
    }

    @Test
    void repliesAreBoundedPerSecond() throws Exception {
        Sessions sessions = sessions();
        Screens screens = closing(new Screens(sessions, PATIENT.repliesPerSecond(3)));
        Session session = asker(sessions, """
                os.write(1, b'\\x1b[c' * 100)
                got = 0
                while got < 21:
                    got += len(os.read(0, 64))
                """);
        eventually("all are decided", () -> screens.stats().answers() + screens.stats().unanswered() >= 100);
        assertThat(screens.stats().answers()).isBetween(3L, 99L);
        awaitExit(session);
    }

    @Test
    void aQuestionAfterAFloodIsAnswered() throws Exception {
        Sessions sessions = sessions();
        Screens screens = closing(new Screens(sessions, PATIENT.lateBytes(4096)));
        Session session = asker(sessions, """
                for i in range(300):
                    os.write(1, b'x' * 10000)
                ask(b'\\x1b[c', b'c')
                """);
        awaitText(session, hex("\033[?1;2c"));
        eventually("1 answer", () -> screens.stats().answers() == 1);
        assertThat(screens.stats().lateScans()).isPositive();
    }

    @Test
    void aQuestionThatWaitedTooLongGetsNoAnswer() throws Exception {
        Sessions sessions = sessions();
        Screens screens = closing(new Screens(sessions, PATIENT.lateAfter(Duration.ofNanos(1))));
        Session session = asker(sessions, "os.write(1, b'asked \\x1b[c')\nos.read(0, 1)\n");
        awaitText(session, "asked");
        eventually("it is passed over", () -> screens.stats().lateScans() > 0);
        session.write("k");
        awaitExit(session);
        assertThat(screens.stats().answers()).isZero();
    }

    @Test
    void hostileOutputNeitherGrowsNorStopsTheScreens() throws Exception {
        Sessions sessions = sessions();
        Screens screens = closing(new Screens(sessions, PATIENT.warmBytes(1 << 20)));
        Session hostile = asker(sessions,
                """
                        import random
                        random.seed(5)
                        parts = [b'\\x1b[6n', b'\\x1b[c', b'\\x1b]4;1;?\\x07', b'\\x1b]52;c;?\\x07',
                                 b'\\x1bP$qm\\x1b\\\\', b'\\x1b]0;', b'\\x1b[99999999;1H', b'\\x1b[1000S',
                                 b'\\xf0\\x9f', b'\\x9b6n', b'\\x1b_G', b'\\x1b[?1049h', b'\\x05']
                        for i in range(2000):
                            os.write(1, b''.join(random.choice(parts) for _ in range(100)) + os.urandom(200))
                        os.write(1, b'\\x1b\\\\\\x1bc' + b'a' * 70000 + b'over')
                        while True:
                            os.read(0, 4096)
                        """);
        awaitText(hostile, "over");
        assertThat(screens.look(hostile).offset()).isEqualTo(hostile.output().end());
        assertThat(screens.stats().warmBytes()).isLessThanOrEqualTo(1 << 20);
        Session polite = asker(sessions, "ask(b'\\x1b[c', b'c')\n");
        awaitText(polite, hex("\033[?1;2c"));
    }

    @Test
    void questionsBehindTheScreenAreAnsweredInOneReplay() throws Exception {
        Sessions sessions = sessions();
        Session session = shell(sessions, "seq -f '%09.0f' 0 199999; printf end; exec sleep 600");
        awaitText(session, "end$");
        SessionScreen kept =
                new SessionScreen(session, PATIENT, sessions.limits().logBytes(), new Counts(), Time.system());
        assertThat(kept.look(OptionalLong.empty(), 0, Screen::offset)).isEqualTo(session.output().end());
        // A replay for each of them would take much longer than a test may.
        for (int line = 0; line < 200_000; line++) {
            long offset = line * 11L + 3;
            if (line % 1000 == 0) {
                Snapshot then = kept.asked(offset, screen -> screen.snapshot(Sight.ALL, 0));
                String begun = then.rows().get(then.cursor().row()).text();
                assertThat(begun).isEqualTo("%09d".formatted(line).substring(0, 3));
            }
            assertThat(kept.asked(offset, Screen::offset)).isEqualTo(offset);
        }
        // One that was asked earlier.
        assertThat(kept.asked(3, screen -> screen.snapshot(Sight.ALL, 0).text()).strip()).isEqualTo("000");
        kept.answered();
        kept.release();
    }

    /// What a viewer sees up to the end.
    private static String watch(Session session, QuestionMask mask) throws InterruptedException {
        StringBuilder text = new StringBuilder();
        long at = 0;
        while (true) {
            ReadResult read = session.output().read(at, 7, Duration.ofSeconds(60));
            if (read instanceof ReadResult.End) {
                text.append(new String(mask.rest().bytes(), StandardCharsets.ISO_8859_1));
                assertThat(text).hasSize((int) at);
                return text.toString();
            }
            ReadResult.Chunk chunk = (ReadResult.Chunk) read;
            QuestionMask.Part part = mask.feed(chunk.offset(), chunk.bytes());
            assertThat(part.offset()).isEqualTo(text.length());
            text.append(new String(part.bytes(), StandardCharsets.ISO_8859_1));
            at = chunk.next();
        }
    }

    private static String read(Session session, QuestionMask mask, String until) throws InterruptedException {
        StringBuilder text = new StringBuilder();
        long at = 0;
        while (text.indexOf(until) < 0) {
            ReadResult.Chunk chunk =
                    (ReadResult.Chunk) session.output().read(at, 7, Duration.ofSeconds(60));
            text.append(new String(mask.feed(chunk.offset(), chunk.bytes()).bytes(), StandardCharsets.ISO_8859_1));
            at = chunk.next();
        }
        return text.toString();
    }
}
