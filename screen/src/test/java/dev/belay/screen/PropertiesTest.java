package dev.belay.screen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// What holds for any stream, however it is cut. `-Dbelay.screen.fuzz=SCENARIOS` tries more of them.
class PropertiesTest {
    private static final int SCENARIOS = Integer.getInteger("belay.screen.fuzz", 1500);
    private static final int STEPS = 20;

    @Test
    void cuttingTheBytesChangesNothing() {
        for (long seed = 1; seed <= SCENARIOS; seed++) {
            Scenario scenario = Generator.scenario(seed, STEPS);
            Screen whole = scenario.last();
            Screen cut =
                    new Screen(scenario.cols(), scenario.rows(), ScreenLimits.defaults().withKeptRows(scenario.kept()));
            for (Scenario.Step step : scenario.steps()) {
                if (step instanceof Scenario.Feed(byte[] bytes)) {
                    for (byte one : bytes) {
                        cut.feed(new byte[] {one});
                    }
                } else {
                    Scenario.take(cut, step);
                }
            }
            assertThat(Dump.of(cut)).as("seed %d: %s", seed, scenario).isEqualTo(Dump.of(whole));
            assertThat(cut.snapshot(Sight.ALL, 100)).as("seed %d", seed).isEqualTo(whole.snapshot(Sight.ALL, 100));
        }
    }

    @Test
    void aRepaintBringsANewScreenToTheSameState() {
        for (long seed = 1; seed <= SCENARIOS; seed++) {
            Scenario scenario = Generator.scenario(seed, STEPS);
            if (!repaints(scenario)) {
                Scenario small = Shrink.of(scenario, candidate -> !repaints(candidate));
                Screen screen = small.last();
                assertThat(repainted(screen, small.kept())).as("seed %d: %s%nrepaint: %s", seed, small,
                        new Scenario.Feed(screen.repaint(Sight.ALL, Integer.MAX_VALUE))).isEqualTo(state(small.last()));
            }
        }
    }

    private static boolean repaints(Scenario scenario) {
        Screen screen = scenario.last();
        return repainted(screen, scenario.kept()).equals(state(screen));
    }

    private static String repainted(Screen screen, int kept) {
        Screen painted = new Screen(screen.cols(), screen.rows(), ScreenLimits.defaults().withKeptRows(kept));
        painted.feed(screen.repaint(Sight.ALL, Integer.MAX_VALUE));
        return state(painted);
    }

    /// The whole state, except what no sequence can bring about: on a screen of one row, a row above that was wrapped
    /// at a blank ends in a space; so does the cursor's row if the cursor waits behind a blank; a character set that
    /// only DECRC can have restored is lost if another one was saved since; in origin mode the cursor is within the
    /// margins; and a row of nothing but styled blanks has spaces.
    private static String state(Screen screen) {
        Terminal terminal = screen.terminal;
        Grid grid = terminal.grid;
        if (screen.rows() == 1) {
            terminal.main.forgetAbove();
        }
        long[] cells = grid.row(grid.y).cells;
        if (grid.x == grid.cols && Cell.code(cells[grid.x - 1]) == 0 && Cell.width(cells[grid.x - 1]) == 1) {
            cells[grid.x - 1] |= ' ';
        }
        if (terminal.charset != grid.savedCharset || grid.x == grid.cols) {
            terminal.charset = terminal.charsets[terminal.charsetLevel];
        }
        for (Grid each : new Grid[] {terminal.main, terminal.alternate}) {
            for (int i = 0; i < each.size(); i++) {
                long[] row = each.line(i).cells;
                if (java.util.Arrays.stream(row).allMatch(cell -> isStyledBlank(terminal, cell))) {
                    java.util.Arrays.setAll(row, x -> row[x] | ' ');
                }
            }
        }
        if (terminal.switches.origin) {
            grid.y = Math.clamp(grid.y, grid.top, grid.bottom);
        }
        return Dump.of(screen);
    }

    private static boolean isStyledBlank(Terminal terminal, long cell) {
        int style = Cell.style(cell);
        int more = terminal.styles.fg(style) | (terminal.styles.bg(style) & ~Pen.COLOUR) | terminal.styles.under(style)
                | terminal.styles.link(style);
        return Cell.code(cell) == 0 && Cell.width(cell) == 1 && (more != 0 || Cell.isProtected(cell));
    }

    @Test
    void aCheckpointAnywhereAndTheRestAreTheWhole() {
        for (long seed = 1; seed <= SCENARIOS; seed++) {
            Scenario scenario = Generator.scenario(seed, STEPS);
            Random random = new Random(seed);
            Screen screen =
                    new Screen(scenario.cols(), scenario.rows(), ScreenLimits.defaults().withKeptRows(scenario.kept()));
            for (Scenario.Step step : scenario.steps()) {
                if (step instanceof Scenario.Feed(byte[] bytes) && random.nextInt(3) == 0) {
                    int cut = random.nextInt(bytes.length + 1);
                    screen.veil(random.nextInt(4) == 0);
                    screen.feed(bytes, 0, cut);
                    Checkpoint checkpoint = screen.checkpoint();
                    assertThat(checkpoint.offset()).isEqualTo(screen.offset());
                    screen = Screen.at(checkpoint);
                    screen.feed(bytes, cut, bytes.length);
                    screen.veil(false);
                } else {
                    Scenario.take(screen, step);
                }
            }
            Screen whole = scenario.last();
            assertThat(Dump.of(screen)).as("seed %d: %s", seed, scenario).isEqualTo(Dump.of(whole));
            assertThat(screen.snapshot(Sight.ALL, 100)).as("seed %d", seed).isEqualTo(whole.snapshot(Sight.ALL, 100));
        }
    }

    @Test
    void noPrivateCharacterIsInAnythingPublic() {
        for (long seed = 1; seed <= SCENARIOS; seed++) {
            Random random = new Random(seed);
            Scenario scenario = Generator.scenario(seed, STEPS);
            Screen screen =
                    new Screen(scenario.cols(), scenario.rows(), ScreenLimits.defaults().withKeptRows(scenario.kept()));
            boolean veiled = false;
            for (Scenario.Step step : scenario.steps()) {
                if (step instanceof Scenario.Feed(byte[] bytes)) {
                    List<byte[]> parts = random.nextInt(3) == 0 ? split(bytes, random) : List.of(bytes);
                    for (byte[] part : parts) {
                        veiled = random.nextInt(3) == 0;
                        screen.veil(veiled);
                        screen.feed(veiled ? secret(part) : part);
                    }
                } else {
                    Scenario.take(screen, step);
                }
                assertThat(screen.snapshot(Sight.PUBLIC, 1000).toString()).as("seed %d: %s", seed, scenario)
                        .doesNotContain("§");
                assertThat(new String(screen.repaint(Sight.PUBLIC, 1000), StandardCharsets.UTF_8)).as("seed %d", seed)
                        .doesNotContain("§");
            }
        }
    }

    /// Private output has characters that nothing else has.
    private static byte[] secret(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte one : bytes) {
            if (one == 'a' || one == 't' || one == 'x' || one == '0') {
                out.writeBytes("§".getBytes(StandardCharsets.UTF_8));
            } else {
                out.write(one);
            }
        }
        out.writeBytes("§".getBytes(StandardCharsets.UTF_8));
        return out.toByteArray();
    }

    private static List<byte[]> split(byte[] bytes, Random random) {
        List<byte[]> parts = new ArrayList<>();
        for (int from = 0; from < bytes.length;) {
            int to = Math.min(bytes.length, from + 1 + random.nextInt(6));
            parts.add(java.util.Arrays.copyOfRange(bytes, from, to));
            from = to;
        }
        return parts;
    }
}
