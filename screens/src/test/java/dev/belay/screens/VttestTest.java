package dev.belay.screens;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Until;
import dev.belay.Waited;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// vttest in a real session, by its menu: at each of its screens, a viewer who comes late sees what xterm.js shows to
/// one who has seen every byte. Left out: the keyboard, which needs a person, and VT52 mode and the reports of
/// terminals, which wait for answers that xterm.js does not give; [EsctestSuite] has the answers.
class VttestTest extends ScreensFixture {
    private static final String PROMPT = "(Push <RETURN>|Enter choice number \\(0 - [0-9]+\\): )";

    private Session session;
    private long at;

    /// Waits until vttest asks for a key.
    ///
    /// @return whether it shows a menu
    private boolean asks() throws InterruptedException {
        Waited waited = session.cursor(at).await(Until.match(PROMPT).orExited(), PATIENCE);
        assertThat(waited.fired()).as("vttest asks after %d", at).isEqualTo(Waited.Fired.MATCH);
        at = waited.offset();
        return waited.text().startsWith("Enter");
    }

    private void walk(int leastScreens, String... choices) throws Exception {
        Sessions sessions = sessions();
        Screens screens = closing(new Screens(sessions, PATIENT.repliesPerSecond(10_000)));
        session = sessions.open(SessionSpec.of("vttest").size(80, 24).owner("alice"));
        List<Long> offsets = new ArrayList<>();
        assertThat(asks()).isTrue();
        for (String choice : choices) {
            session.write(choice + "\n");
            while (!asks()) {
                offsets.add(at);
                session.write("\n");
            }
            offsets.add(at);
        }
        session.write("0\n");
        awaitExit(session);
        assertThat(offsets).hasSizeGreaterThanOrEqualTo(leastScreens);
        try (Onlookers onlookers = new Onlookers(screens, 200)) {
            onlookers.compare(session, offsets);
        }
    }

    @Test
    void cursorMovements() throws Exception {
        walk(5, "1");
    }

    @Test
    void screenFeatures() throws Exception {
        walk(10, "2");
    }

    @Test
    void charactersOfOtherSetsAndSizes() throws Exception {
        walk(5, "3", "4");
    }

    @Test
    void insertAndDelete() throws Exception {
        walk(10, "8");
    }

    @Test
    void resets() throws Exception {
        walk(4, "10", "1", "3", "0");
    }

    @Test
    void cursorMovementsOfIso6429() throws Exception {
        walk(20, "11", "5", "1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "0");
    }

    @Test
    void colours() throws Exception {
        walk(10, "11", "6", "2", "3", "4", "5", "0", "0");
    }

    @Test
    void repeatedAndScrolled() throws Exception {
        walk(10, "11", "7", "2", "3", "4", "5", "6", "0", "0");
    }

    @Test
    void theAlternateScreen() throws Exception {
        walk(12, "11", "8", "7", "2", "3", "4", "5", "0", "0", "0");
    }
}
