package dev.belay.screen;

import dev.belay.testkit.XtermJs;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/// xterm.js that plays scenarios.
final class Xterm implements AutoCloseable {
    private final XtermJs terminal = new XtermJs(Path.of("src/test/xterm"));

    /// The state after each step of a scenario.
    List<String> run(Scenario scenario) {
        StringBuilder said =
                new StringBuilder("new " + scenario.cols() + " " + scenario.rows() + " " + scenario.kept() + "\n");
        for (Scenario.Step step : scenario.steps()) {
            said.append(switch (step) {
                case Scenario.Feed feed -> "feed " + HexFormat.of().formatHex(feed.bytes());
                case Scenario.Resize resize -> "resize " + resize.cols() + " " + resize.rows();
            }).append("\ndump\n");
        }
        return say(said.toString(), scenario.steps().size());
    }

    /// Sends lines and reads a number of lines.
    List<String> say(String lines, int answers) {
        return terminal.say(lines, answers);
    }

    @Override
    public void close() {
        terminal.close();
    }
}
