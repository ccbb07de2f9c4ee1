package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `belay run` as a person uses it: at a terminal, which is a tmux pane.
class TerminalRunTest extends WithBelay {
    private Tmux tmux;

    @BeforeEach
    void sitDown() throws Exception {
        belay.writeLauncher();
        tmux = new Tmux(folder, 90, 30);
        tmux.run("stty -a > before");
    }

    @AfterEach
    void getUp() throws Exception {
        try {
            assertThat(belay.processes()).isEmpty();
            assertThat(belay.leftFiles()).isEmpty();
        } finally {
            tmux.kill();
        }
    }

    private void assertTerminalAsBefore() throws Exception {
        tmux.run("stty -a > after");
        assertThat(folder.resolve("after")).hasSameTextualContentAs(folder.resolve("before"));
        assertThat(tmux.know("#{alternate_on}/#{cursor_flag}/#{keypad_cursor_flag}/#{mouse_any_flag}"))
                .isEqualTo("0/1/0/0");
    }

    private String written(String file) throws Exception {
        return Files.readString(folder.resolve(file));
    }

    @Test
    void theCommandHasATerminalOfTheSameSizeAndName() throws Exception {
        tmux.run(
                "echo $TERM > outer; clear; belay run -- bash -c 'echo $TERM > inner; tty && stty size && echo ok';"
                        + " echo rc=$?");
        assertThat(tmux.await("rc=0")).containsPattern("\n/dev/pts/\\d+\n30 90\nok\nrc=0");
        assertThat(written("inner")).isEqualTo(written("outer")).isNotBlank();
        assertTerminalAsBefore();
    }

    @Test
    void ctrlCEndsTheCommandInside() throws Exception {
        String run = tmux.begin("belay run -- sh -c 'echo begun; exec sleep 100'; echo rc=$?");
        tmux.await("\nbegun");
        tmux.press("C-c");
        tmux.finish(run);
        tmux.await("rc=130");
        assertTerminalAsBefore();
    }

    @Test
    void ctrlZStopsAJobInsideAndFgBringsItBack() throws Exception {
        String run = tmux.begin("belay run --env 'PS1=inner> ' -- bash --norc; echo rc=$?");
        tmux.await("inner>");
        // Said by the job itself: before, the terminal is the shell's, and Enter is no end of a line.
        tmux.enter("sh -c 'echo begun; exec cat'");
        tmux.await("\nbegun");
        tmux.enter("first");
        tmux.await("two lines 'first'", screen -> screen.split("\nfirst", -1).length == 3);
        tmux.press("C-z");
        tmux.await("Stopped");
        tmux.enter("fg");
        tmux.await("the job in the foreground", screen -> screen.contains("inner> fg\nsh -c"));
        tmux.enter("second");
        tmux.await("two lines 'second'", screen -> screen.split("\nsecond", -1).length == 3);
        tmux.press("C-d");
        tmux.enter("exit 5");
        tmux.finish(run);
        tmux.await("rc=5");
        assertTerminalAsBefore();
    }

    @Test
    void vimOpensEditsSavesAndQuits() throws Exception {
        String run = tmux.begin("belay run -- vim -u NONE notes; echo rc=$?");
        tmux.await("\"notes\" [New");
        assertThat(tmux.know("#{alternate_on}")).isEqualTo("1");
        tmux.type("ihello from inside");
        tmux.press("Escape");
        tmux.enter(":wq");
        tmux.finish(run);
        tmux.await("rc=0");
        assertThat(written("notes")).isEqualTo("hello from inside\n");
        assertTerminalAsBefore();
    }

    @Test
    void lessShowsAPageAndQuitsByQ() throws Exception {
        tmux.run("seq 1 1000 > numbers");
        String run = tmux.begin("clear; belay run -- less numbers; echo rc=$?");
        tmux.await("numbers");
        tmux.press("Space");
        tmux.await("\n58\n");
        tmux.press("q");
        tmux.finish(run);
        tmux.await("rc=0");
        assertTerminalAsBefore();
    }

    @Test
    void htopShowsProcessesFollowsTheSizeAndQuitsByQ() throws Exception {
        String run = tmux.begin("belay run -- htop; echo rc=$?");
        tmux.await("F10Quit");
        assertThat(tmux.know("#{alternate_on}")).isEqualTo("1");
        tmux.resize(100, 20);
        // Its last line is the screen's last.
        tmux.await("the new size", screen -> screen.stripTrailing().lines().count() == 21
                && screen.stripTrailing().lines().toList().getLast().contains("F10Quit"));
        tmux.press("q");
        tmux.finish(run);
        tmux.await("rc=0");
        tmux.resize(90, 30);
        assertTerminalAsBefore();
    }

    @Test
    void aNewSizeOfTheWindowReachesTheCommand() throws Exception {
        String run = tmux.begin(
                "belay run -- bash -c 'trap \"stty size; exit\" WINCH; echo begun; while :; do read -t 1; done'");
        tmux.await("\nbegun");
        tmux.resize(70, 20);
        tmux.finish(run);
        tmux.await("\n20 70");
    }

    @Test
    void theShellsSizeIsRightAfterItChanged() throws Exception {
        String run = tmux.begin("belay run --env 'PS1=inner> ' -- bash --norc");
        tmux.await("inner>");
        tmux.resize(100, 25);
        tmux.enter("stty size");
        tmux.await("\n25 100");
        tmux.enter("exit");
        tmux.finish(run);
    }

    @Test
    void whatIsTypedIsShownOnce() throws Exception {
        String run = tmux.begin("clear; belay run -- sh -c 'echo begun; exec cat'");
        tmux.await("\nbegun");
        tmux.enter("word");
        String screen = tmux.await("what cat printed", seen -> seen.split("\nword", -1).length > 2);
        assertThat(screen).contains("\nbegun\nword\nword\n\n");
        tmux.press("C-d");
        tmux.finish(run);
        assertTerminalAsBefore();
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "HUP, 129", "INT, 130"})
    void belayToldToEndRestoresTheTerminal(String signal, int code) throws Exception {
        String run = tmux.begin("belay run -- vim -u NONE notes; echo rc=$?");
        tmux.await("\"notes\" [New");
        kill(signal);
        tmux.finish(run);
        tmux.await("rc=" + code + "\n");
        assertThat(belay.processes()).isEmpty();
        assertTerminalAsBefore();
        tmux.run("clear; echo us''able");
        tmux.await("usable");
    }

    @Test
    void aProgramThatIsKilledLeavesAUsableScreen() throws Exception {
        String run =
                tmux.begin("belay run -- sh -c 'echo $$ > pid; exec vim -u NONE -c \"set mouse=a\" notes'; echo rc=$?");
        tmux.await("\"notes\" [New");
        kill("KILL", written("pid").strip());
        tmux.finish(run);
        tmux.await("rc=137");
        assertTerminalAsBefore();
    }

    @Test
    void aTimeoutLeavesAUsableScreen() throws Exception {
        tmux.run("belay run --timeout 1s -- vim -u NONE notes; echo rc=$?");
        tmux.await("rc=124");
        tmux.await("belay: timed out after 1s");
        assertTerminalAsBefore();
    }

    @Test
    void belayThatWasStoppedComesBackRaw() throws Exception {
        String run = tmux.begin("belay run -- sh -c 'echo begun; exec cat'; echo rc=$?");
        tmux.await("\nbegun");
        tmux.enter("one");
        tmux.await("two lines 'one'", seen -> seen.split("\none", -1).length == 3);
        kill("STOP");
        tmux.await("Stopped");
        tmux.finish(run);
        tmux.enter("fg; echo back=$?");
        Eventually.see("raw mode", this::modes, modes -> modes.contains("-icanon"));
        tmux.enter("two");
        tmux.await("two lines 'two'", seen -> seen.split("\ntwo", -1).length == 3);
        tmux.press("C-c");
        tmux.await("back=130");
        assertTerminalAsBefore();
    }

    private String modes() throws Exception {
        Process stty = new ProcessBuilder("stty", "-a", "-F", tmux.know("#{pane_tty}")).start();
        return new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void outputMayGoToAFileWhileTheKeyboardIsTheCommands() throws Exception {
        String run = tmux.begin("belay run -- sh -c 'echo > begun; read line; echo got $line' > file; echo rc=$?");
        Eventually.see("the command begun", () -> Files.exists(folder.resolve("begun")), begun -> begun);
        tmux.enter("it");
        tmux.finish(run);
        tmux.await("rc=0");
        assertThat(written("file")).isEqualTo("it\ngot it\n");
        assertTerminalAsBefore();
    }

    @Test
    void pipedInputWithOutputOnTheScreen() throws Exception {
        tmux.run("clear; echo 'a b' | belay run -- sh -c 'stty size; cat'; echo rc=$?");
        assertThat(tmux.await("rc=0")).contains("\n30 90\na b\nrc=0");
        assertTerminalAsBefore();
    }

    @Test
    void ctrlCOnPipesInterruptsTheCommand() throws Exception {
        String run = tmux.begin("belay run --pipe -- sh -c 'echo begun; exec sleep 100'; echo rc=$?");
        tmux.await("\nbegun");
        tmux.press("C-c");
        tmux.finish(run);
        tmux.await("rc=130");
        assertTerminalAsBefore();
    }

    @Test
    void aBackgroundJobOnPipesIsNotStopped() throws Exception {
        tmux.run("belay run --pipe -- sh -c 'echo ran' & wait $!; echo rc=$?");
        assertThat(tmux.await("rc=0")).contains("\nran");
    }

    @Test
    void helpIsColouredOnATerminalUnlessUnwanted() throws Exception {
        tmux.run("script -qc 'belay --help' coloured; NO_COLOR=1 script -qc 'belay --help' plain");
        assertThat(written("coloured")).contains("\033[1mUsage:");
        assertThat(written("plain")).contains("Usage:").doesNotContain("\033[1m");
    }

    private void kill(String signal) throws Exception {
        kill(signal, Long.toString(belay.launched().pid()));
    }

    private static void kill(String signal, String pid) throws Exception {
        new ProcessBuilder("kill", "-" + signal, pid).start().waitFor();
    }
}
