package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HelpTest extends WithBelay {
    @Test
    void theHelpNamesTheCommandsThatExist() throws Exception {
        Belay.Outcome outcome = belay.run("--help");
        assertThat(outcome.code()).isZero();
        assertThat(outcome.out()).contains("Usage:", "run ", "--version", "belay run --").doesNotContain("\033");
        assertThat(outcome.err()).isEmpty();
    }

    @Test
    void withoutArgumentsThereIsHelp() throws Exception {
        assertThat(belay.run().out()).isEqualTo(belay.run("--help").out());
    }

    @Test
    void theHelpOfRunTellsOptionsExitCodesAndExamples() throws Exception {
        Belay.Outcome outcome = belay.run("run", "--help");
        assertThat(outcome.code()).isZero();
        assertThat(outcome.out())
                .contains("--pipe", "--workdir=DIR", "--timeout=TIME", "--env=NAME", "TOKEN")
                .contains("124 ", "125 ", "126 ", "127 ", "128+n", "belay run -- vim");
        assertThat(outcome.out().lines()).allMatch(line -> line.length() <= 80);
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "ls", "top", "open", "read", "send", "wait", "attach", "resize", "signal", "close",
            "search", "serve", "stop", "reload", "link", "token", "mcp", "doctor",
            "completion", "help"})
    void everyCommandHasHelpThatFitsAndIsListed(String command) throws Exception {
        String help = belay.run(command, "--help").out();
        assertThat(help).contains("Usage:", "belay " + command, "Examples:");
        assertThat(help.lines()).allMatch(line -> line.length() <= 80);
        assertThat(belay.run("--help").out()).containsPattern("\n  " + command + " +[A-Z]");
    }

    @Test
    void helpRunIsTheHelpOfRun() throws Exception {
        assertThat(belay.run("help", "run").out()).isEqualTo(belay.run("run", "--help").out());
    }

    @Test
    void theVersionIsThatOfTheBuild() throws Exception {
        Belay.Outcome version = belay.run("--version");
        assertThat(version.out())
                .matches("belay \\d+\\.\\d+\\.\\d+\\S* \\(commit \\w+\\)\nJava 2\\d.*\nLinux .*\n");
        assertThat(version.err()).isEmpty();
    }

    @Test
    void anUnknownCommandIsToldWithASuggestion() throws Exception {
        Belay.Outcome outcome = belay.run("rum", "--", "ls");
        assertThat(outcome.code()).isEqualTo(2);
        assertThat(outcome.err())
                .isEqualTo("belay: unknown command 'rum'. Did you mean 'run'?\nTry 'belay --help'.\n");
    }

    @Test
    void anUnknownOptionIsToldWithASuggestion() throws Exception {
        Belay.Outcome outcome = belay.run("run", "--timeot", "3", "--", "ls");
        assertThat(outcome.code()).isEqualTo(125);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err())
                .isEqualTo(
                        "belay: unknown option '--timeot'. Did you mean '--timeout'?\nTry 'belay run --help'.\n");
    }
}
