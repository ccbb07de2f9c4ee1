package dev.belay.screens;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Lease;
import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.Sessions;
import dev.belay.Until;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The commands of a shell, from the marks that it prints.
class CommandsTest extends ScreensFixture {
    private static final String MARK = "m() { printf '\\033]%s\\007' \"$1\"; }; ";

    private static List<Integer> codes(Screens screens, Session session) {
        return screens.commands(session).stream().map(ShellCommand::exitCode).toList();
    }

    @Test
    void onlyMarksWithTheKeyCountInASessionThatHasOne() throws Exception {
        Sessions sessions = sessions();
        Screens screens = screens(sessions);
        Session session = shell(sessions, MARK
                + "m '133;A;k=right'; m '633;E;one;k=right'; m '133;C;k=right'; "
                // What a program prints: no key, a wrong one, one in the wrong place.
                + "m '133;D;0'; m '133;D;0;k=wrong'; m '133;D;0;k='; m '133;D;k=right;0'; m '133;A'; m '133;C'; "
                + "m '7;file:///forged'; m '633;P;Cwd=/forged'; echo out; "
                + "m '133;D;3;k=right'; m '633;P;Cwd=/a\\x3b\\\\b;k=right'; m '133;A;k=right'; echo done; cat");
        awaitText(session, "done");
        assertThat(codes(screens, session)).as("without a key all marks count").hasSizeGreaterThan(1);
        screens.sign(session, "right");
        List<ShellCommand> commands = screens.commands(session);
        assertThat(commands).hasSize(1);
        ShellCommand one = commands.getFirst();
        assertThat(one.command()).isEqualTo("one");
        assertThat(one.exitCode()).isEqualTo(3);
        assertThat(one.signed()).isTrue();
        ShellState state = screens.shell(session);
        assertThat(state.atPrompt()).isTrue();
        assertThat(state.cwd()).isEqualTo("/a;\\b");
        assertThat(state.after()).isGreaterThan(one.end());
    }

    @Test
    void whatEndsWithoutACodeIsNotKnown() throws Exception {
        Sessions sessions = sessions();
        Screens screens = screens(sessions);
        Session session = shell(sessions, MARK
                + "m '133;C'; m '133;A'; m '133;C'; m '133;D'; m '133;D;9'; m '133;C'; m '133;D;x'; m '133;C'; "
                + "m '133;C'; echo done; cat");
        awaitText(session, "done");
        assertThat(codes(screens, session)).containsExactly(null, null, null, null, null);
        assertThat(screens.commands(session)).extracting(ShellCommand::running)
                .containsExactly(false, false, false, false, true);
    }

    @Test
    void theLastThousandAreKnownWhateverTheLogHasDropped() throws Exception {
        Sessions sessions = sessions(Limits.DEFAULT.logBytes(Limits.MIN_LOG_BYTES));
        Screens screens = screens(sessions);
        Session session = shell(sessions, MARK
                + "i=0; while [ $i -lt 1100 ]; do m '133;C'; printf '%01000d' $i; m \"133;D;$((i % 256))\"; "
                + "i=$((i + 1)); [ $((i % 50)) != 0 ] || { echo round $i; read -r _; }; done");
        for (int i = 50; i <= 1100; i += 50) {
            session.cursor().await(Until.match("round " + i + "\\n"), PATIENCE);
            assertThat(screens.commands(session)).hasSize(Math.min(i, 1000));
            session.writeLine("");
        }
        awaitExit(session);
        assertThat(session.output().start()).isPositive();
        List<Integer> codes = codes(screens, session);
        assertThat(codes).hasSize(1000);
        for (int i = 0; i < 1000; i++) {
            assertThat(codes.get(i)).isEqualTo((i + 100) % 256);
        }
    }

    @Test
    void aCommandThatWasTypedPrivatelyIsBlankForOthers() throws Exception {
        Sessions sessions = sessions();
        Screens screens = screens(sessions);
        Session alice = shell(sessions, MARK + "echo up; while read -r word; do m \"633;E;$word\"; m 7\\;file:///home; "
                + "m '133;C'; echo ran $word; m '133;D;0'; done").as(ALICE);
        awaitText(alice, "up");
        alice.writeLine("public");
        awaitText(alice, "ran public");
        try (Lease _ = alice.takeKeyboard(true, null)) {
            alice.writeLine("secret");
            awaitText(alice, "ran secret");
        }
        alice.writeLine("again");
        awaitText(alice, "ran again");
        assertThat(screens.commands(alice)).extracting(ShellCommand::command)
                .containsExactly("public", "secret", "again");
        assertThat(screens.commands(alice.as(BOB))).extracting(ShellCommand::command)
                .containsExactly("public", null, "again");
        assertThat(screens.commands(alice.as(ALICE.asAgent())).get(1).cwd()).isNull();
    }
}
