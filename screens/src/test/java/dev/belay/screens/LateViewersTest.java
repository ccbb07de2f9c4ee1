package dev.belay.screens;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Real programs in real sessions, typed at as their screens say: a viewer who comes late sees what xterm.js shows
/// to one who has seen every byte.
class LateViewersTest extends ScreensFixture {
    private static final int LOOKS = 40;

    /// What must be on the screen, and what is typed then.
    private record Step(String shown, String keys) {}

    private static Step when(String shown, String keys) {
        return new Step(shown, keys);
    }

    private void play(SessionSpec spec, Step... steps) throws Exception {
        play(200, spec, steps);
    }

    private void play(int history, SessionSpec spec, Step... steps) throws Exception {
        Sessions sessions = sessions();
        Screens screens = screens(sessions);
        Session session = show(sessions, screens, spec, steps);
        awaitExit(session);
        compare(screens, session, history);
    }

    private Session show(Sessions sessions, Screens screens, SessionSpec spec, Step... steps) throws Exception {
        Session session = sessions.open(spec.owner("alice").env("HOME", workspace().toString()));
        for (Step step : steps) {
            ScreenWaited waited = screens.await(session, UntilScreen.match(step.shown()).orExited(), PATIENCE);
            assertThat(waited.fired()).as("waiting for %s in %s", step.shown(), screens.look(session).text())
                    .isEqualTo(ScreenWaited.Fired.MATCH);
            session.write(step.keys());
        }
        return session;
    }

    private static void compare(Screens screens, Session session, int history) {
        assertThat(session.output().end()).as("bytes printed").isGreaterThan(500);
        try (Onlookers onlookers = new Onlookers(screens, history)) {
            onlookers.compare(session, LOOKS);
        }
    }

    private static SessionSpec program(String... command) {
        return SessionSpec.of(List.of(command));
    }

    @Test
    void vim() throws Exception {
        Files.writeString(workspace().resolve("text.py"), "def f(x):\n    return '中文' + x  # é\n".repeat(60));
        play(program("vim", "-u", "NONE", "-N", "-c", "syntax on", "-c", "set number", "text.py"),
                when("60 *return|text.py", "\006\006"), when("5[0-9] ", "jjIhello \033"),
                when("hello", ":split\r"), when("hello(?s).*hello", ":%s/x/yy/g\r"), when("substitutions", ":qa!\r"));
    }

    @Test
    void less() throws Exception {
        Files.writeString(workspace().resolve("text"),
                "some words that are long enough to wrap when the terminal is narrow, and then some more.\n"
                        .repeat(100));
        play(program("less", "-N", "text"), when(" 1 some", "  b"), when("words", "/words\r"), when("words", "Gq"));
    }

    @Test
    void nano() throws Exception {
        play(program("nano", "-I", "letter"), when("GNU nano", "Dear all,\r中文 and more\r\013\025"),
                when("中文", "\030"), when("Save modified", "n"));
    }

    @Test
    void midnightCommander() throws Exception {
        Files.createDirectories(workspace().resolve("a folder"));
        Files.writeString(workspace().resolve("a file.c"), "int main() { return 0; }\n".repeat(40));
        // Esc and a digit is a function key.
        // It drops keys that come while it draws, so nothing waits for what they do.
        Sessions sessions = sessions();
        Screens screens = screens(sessions);
        compare(screens, show(sessions, screens, program("mc", "-u"), when("a folder", "\t\033[B\033[B\tls\r"),
                when("a folder", "\0339\r")), 200);
        compare(screens, show(sessions, screens, program("mc", "-u", "-v", "a file.c"), when("int main", "  ")), 200);
    }

    @Test
    void htop() throws Exception {
        play(program("htop", "--delay=2"), when("PID.*COMMAND|PID.*Command", "\033[B\033[B"), when("Help", "h"),
                when("htop [0-9]", " "), when("Help", "q"));
    }

    @Test
    void tmux() throws Exception {
        Files.writeString(workspace().resolve("tmux.conf"), "set -g default-command \"PS1='at> ' exec sh\"\n");
        play(program("tmux", "-L", "belay-" + ProcessHandle.current().pid(), "-f", "tmux.conf", "new-session")
                .env("TMUX_TMPDIR", workspace().toString()),
                when("at>", "seq 30; ls --color=always /\r"), when("usr(?s).*at>", "\002\""),
                when("at>(?s).*\\n(─|-)+\\nat>", "echo below; exit\r"), when("usr(?s).*at> *\\n\\[0\\]", "exit\r"));
    }

    @Test
    void aThousandRowsAboveALongBuild() throws Exception {
        Files.writeString(workspace().resolve("build.py"), """
                for i in range(6000):
                    print('\\x1b[32m[%4d]\\x1b[0m compiled module-%d %s' % (i, i, 'with 中文 and more ' * (i % 9)))
                """);
        play(1000, program("python3", "build.py"));
    }

    @Test
    void aThousandRowsAboveAProgramOnTheAlternateScreen() throws Exception {
        play(1000, program("sh", "-c", "seq 3000; less -S -X +G /etc/passwd; seq 2000 | less; seq 900"),
                when("root|nobody", "q"), when("(?m)^10$", "Gq"));
    }

    @Test
    void progressInSeveralRowsAsPackageManagersShowIt() throws Exception {
        Files.writeString(workspace().resolve("progress.py"), """
                import sys
                out = sys.stdout
                spin = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'
                for i in range(101):
                    if i:
                        out.write('\\x1b[3A')
                    for name in ('idealTree', 'reify:typescript', 'audit'):
                        bar = '#' * (i // 4) + '.' * (25 - i // 4)
                        out.write('\\r\\x1b[K\\x1b[3%dm%s\\x1b[39m [%s] %s %d%%\\n'
                            % (i % 7 + 1, spin[i % 10], bar, name, i))
                    if i % 10 == 0:
                        out.write('\\x1b[3A\\x1b[J\\x1b[33mnpm warn\\x1b[0m deprecated package@%d\\n\\n\\n\\n' % i)
                    out.flush()
                out.write('\\x1b[?25hadded 1 package in 1s\\n')
                """);
        play(program("python3", "progress.py"));
    }
}
