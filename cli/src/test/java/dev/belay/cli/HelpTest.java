package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

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

    @Test
    void helpRunIsTheHelpOfRun() throws Exception {
        assertThat(belay.run("help", "run").out()).isEqualTo(belay.run("run", "--help").out());
    }

    @Test
    void theVersionIsThatOfTheBuild() throws Exception {
        assertThat(belay.run("--version").out()).matches("belay \\d+\\.\\d+\\.\\d+\\S*\n");
    }

    @Test
    void anUnknownCommandIsToldWithASuggestion() throws Exception {
        Belay.Outcome outcome = belay.run("rum", "--", "ls");
        assertThat(outcome.code()).isEqualTo(125);
        assertThat(outcome.err())
                .isEqualTo("belay: there is no command 'rum'. Did you mean 'run'?\nTry 'belay --help'.\n");
    }

    @Test
    void anUnknownOptionIsToldWithASuggestion() throws Exception {
        Belay.Outcome outcome = belay.run("run", "--timeot", "3", "--", "ls");
        assertThat(outcome.code()).isEqualTo(125);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err())
                .isEqualTo(
                        "belay: there is no option '--timeot'. Did you mean '--timeout'?\nTry 'belay run --help'.\n");
    }
}
