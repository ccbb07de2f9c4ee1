package dev.belay.screen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Random streams, cut anywhere, with resizes: the whole state is xterm.js's after each step.
///
/// `-Dbelay.screen.fuzz=SCENARIOS` runs more of them, `-Dbelay.screen.seed=SEED` begins elsewhere.
class XtermFuzzTest {
    private static final int SCENARIOS = Integer.getInteger("belay.screen.fuzz", 1500);
    private static final long SEED = Long.getLong("belay.screen.seed", 1);
    private static final int STEPS = 25;

    @Test
    void theScreenIsXtermJssAfterEachStep() {
        long compared = 0;
        try (Xterm xterm = new Xterm()) {
            for (long seed = SEED; seed < SEED + SCENARIOS; seed++) {
                Scenario scenario = Generator.scenario(seed, STEPS);
                if (differs(xterm, scenario, seed) >= 0) {
                    long failed = seed;
                    Scenario small = Shrink.of(scenario, candidate -> differs(xterm, candidate, failed) >= 0);
                    int at = differs(xterm, small, seed);
                    fail("seed %d differs after step %d of%n%s%nxterm.js: %s%nBelay:    %s", seed, at + 1, small,
                            xterm.run(small).get(at), small.run(new Random(seed)).get(at));
                }
                compared += STEPS;
            }
        }
        System.out.println(
                "fuzz: " + compared + " steps compared with xterm.js, seeds " + SEED + " to " + (SEED + SCENARIOS - 1));
    }

    @Test
    void xtermJsShowsARepaintAsBelayDoes() {
        try (Xterm xterm = new Xterm()) {
            for (long seed = SEED; seed < SEED + SCENARIOS; seed++) {
                Scenario scenario = Generator.scenario(seed, STEPS);
                Screen screen = scenario.last();
                byte[] repaint = screen.repaint(Sight.ALL, Integer.MAX_VALUE);
                Scenario painted = new Scenario(screen.cols(), screen.rows(), scenario.kept(),
                        List.of(new Scenario.Feed(repaint)));
                assertThat(differs(xterm, painted, seed)).as("seed %d: %s%s", seed, scenario, painted).isEqualTo(-1);
            }
        }
    }

    /// The first step after which they differ, or -1.
    private static int differs(Xterm xterm, Scenario scenario, long seed) {
        List<String> theirs = xterm.run(scenario);
        List<String> ours = scenario.run(new Random(seed));
        for (int i = 0; i < theirs.size(); i++) {
            if (!same(theirs.get(i), ours.get(i))) {
                return i;
            }
        }
        return -1;
    }

    /// A link that xterm.js has forgotten, because it watches rows and not cells, matches any.
    private static boolean same(String theirs, String ours) {
        if (theirs.equals(ours) || !theirs.contains(",?,")) {
            return theirs.equals(ours);
        }
        return theirs.replaceAll(",(\\?|http[^,]*),", ",L,").equals(ours.replaceAll(",http[^,]*,", ",L,"));
    }
}
