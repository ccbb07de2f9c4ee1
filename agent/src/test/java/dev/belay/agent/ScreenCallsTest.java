package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Environment;
import dev.belay.ErrorCode;
import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.Sessions;
import dev.belay.Size;
import dev.belay.Until;
import dev.belay.linux.LinuxHost;
import dev.belay.testkit.Rig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// What agents see of full-screen programs, and how they wait for them.
class ScreenCallsTest extends AgentRig {
    /// A menu of three on the alternate screen: `j` selects the next, `q` leaves. It draws with the cursor hidden.
    private static final String MENU = """
            import sys, termios, tty
            tty.setraw(0)
            items, at = ["apple", "pear", "plum"], 0
            def out(text): sys.stdout.write(text); sys.stdout.flush()
            def row(i): return "\\033[%d;3H%s%s\\033[0m" % (i + 2, "\\033[7m" if i == at else "", items[i])
            out("\\033[?1049h\\033[?25l\\033[1;1HPick one" + "".join(row(i) for i in range(3)))
            while True:
                key = sys.stdin.read(1)
                if key == "q": break
                before, at = at, (at + 1) % 3
                out(row(before) + row(at))
            out("\\033[?1049l")
            """;

    private ExecResult menu(WaitFor waitFor) throws Exception {
        Path script = Files.writeString(workspace.resolve("menu.py"), MENU);
        return tools.unifiedExec(ExecRequest.of("exec python3 " + script).waitFor(waitFor).sessionId("menu"));
    }

    @Test
    void aWaitForTheScreenEndsWhenTheVisibleRowsMatch() throws Exception {
        ExecResult first = menu(WaitFor.screen("(?m)^  plum$"));
        assertThat(first.waitResult()).as("%s", first).isEqualTo("screen");
        assertThat(first.output()).isEqualTo("""
                Pick one
                  apple
                  pear
                  plum
                [screen, cursor at row 4, column 7, selected: apple]
                """);
        assertThat(first.screen().selected()).containsExactly("apple");
        assertThat(first.screen().changesOnly()).isFalse();

        ExecResult next = tools.writeStdin(WriteRequest.to("menu", "j").waitFor(WaitFor.settled(Duration.ofMillis(1))));
        next = next.output().contains("pear") ? next : type(WriteRequest.to("menu", ""), "pear");
        assertThat(next.output()).isEqualTo("""
                2|   apple
                3|   pear
                [screen, cursor at row 3, column 7, selected: pear]
                """);
        assertThat(next.screen().changesOnly()).isTrue();
        assertThat(tools.readOutput(ReadRequest.from("menu", 0).view(View.SCREEN)).output()).startsWith("[screen");
        assertThat(exited(tools.writeStdin(WriteRequest.to("menu", "q").waitFor(WaitFor.exited()))).exitCode())
                .isZero();
    }

    @Test
    void aScreenThatNoLongerChangesHasSettled() throws Exception {
        ExecResult settled = menu(WaitFor.settled(Duration.ofMillis(300)));
        assertThat(settled.waitResult()).as("%s", settled).isEqualTo("settled");
        assertThat(settled.running()).isTrue();
        // A program that goes on drawing the same has settled too.
        ExecResult same = tools.unifiedExec(ExecRequest.of(
                "printf '\\033[?1049h'; while :; do printf '\\033[Hsame'; sleep 0.01; done")
                .waitFor(WaitFor.settled(Duration.ofMillis(500))));
        assertThat(same.waitResult()).as("%s", same).isEqualTo("settled");
        assertThat(same.output()).startsWith("same\n");
    }

    @Test
    void aWaitForAScreenEndsWithTheCommand() throws Exception {
        ExecResult gone = tools.unifiedExec(ExecRequest.of("printf one; exit 3").waitFor(WaitFor.screen("never")));
        assertThat(exited(gone).exitCode()).isEqualTo(3);
    }

    @Test
    void whatCannotBeWaitedForIsRefused() throws Exception {
        assertThat(refused(tools.unifiedExec(ExecRequest.of("true").pipes().waitFor(WaitFor.screen("x"))),
                ErrorCode.INVALID_REQUEST).message()).contains("pipes");
        refused(tools.unifiedExec(ExecRequest.of("true").waitFor(WaitFor.screen("("))), ErrorCode.INVALID_REQUEST);
        assertThat(sessions.list()).isEmpty();
        String cat = tools.unifiedExec(ExecRequest.of("exec cat").pipes()).sessionId();
        refused(tools.writeStdin(WriteRequest.to(cat, "x\n").view(View.SCREEN)), ErrorCode.INVALID_REQUEST);
        assertThat(type(cat, "y\n", "y").output()).isEqualTo("y\n");
    }

    @Test
    void aResizedScreenIsShownWholeInItsNewSize() throws Exception {
        menu(WaitFor.screen("plum"));
        Session session = sessions.get("menu");
        session.resize(new Size(40, 12));
        Until sized = Until.match("pear").orExited();
        long before = session.output().end();
        session.write("j");
        session.cursor(before).await(sized, Rig.PATIENCE);
        ExecResult after = tools.writeStdin(WriteRequest.to("menu", "").view(View.SCREEN));
        assertThat(after.screen().cols()).isEqualTo(40);
        assertThat(after.screen().rows()).isEqualTo(12);
        assertThat(after.output()).startsWith("Pick one\n  apple\n");
    }

    /// The rows that were drawn first are long out of the log: a screen is not made from the whole log at each look.
    @Test
    void aScreenIsKnownWhateverTheLogHasDropped() throws Exception {
        Path other = Files.createDirectories(folder.resolve("other"));
        try (Sessions small = Sessions.builder(LinuxHost.at(other)).state(folder.resolve("small"))
                .environment(Environment.basic(System.getenv()))
                .limits(Limits.DEFAULT.logBytes(Limits.MIN_LOG_BYTES)).build();
                AgentTools of = new AgentTools(small, SETTINGS)) {
            ExecResult first = of.unifiedExec(ExecRequest.of("""
                    printf '\\033[?1049h\\033[5;1Hdrawn once'
                    for i in 1 2 3 4 5 6 7 8; do
                        read -r _
                        head -c %d /dev/zero | tr '\\0' x | sed 's/x\\{64\\}/\\x1b[1;1H&/g'
                        printf '\\033[2;1Hround %%s' $i
                    done; read -r _""".formatted(Limits.MIN_LOG_BYTES / 4)).waitFor(WaitFor.screen("drawn once")));
            assertThat(first.waitResult()).as("%s", first).isEqualTo("screen");
            ExecResult last = first;
            for (int i = 1; i <= 8; i++) {
                last = of.writeStdin(WriteRequest.to(first.sessionId(), "\n").view(View.SCREEN)
                        .waitFor(WaitFor.screen("round " + i)));
                assertThat(last.waitResult()).as("%s", last).isEqualTo("screen");
            }
            Session session = small.get(first.sessionId());
            assertThat(session.output().start()).isPositive();
            assertThat(of.readOutput(new ReadRequest(session.id(), null, null, null, 10_000, View.SCREEN)).output())
                    .contains("round 8").contains("drawn once").doesNotContain("out of date");
        }
    }
}
