package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Limits;
import dev.belay.Until;
import dev.belay.screens.Screens;
import dev.belay.screens.ScreensLimits;
import dev.belay.server.settings.ServerSettings.ViewerLimits;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// Our own library for pages, `belay-client`; `client/test/library.js` has what it does.
@Tag("any-user")
class ClientLibraryTest extends WithServer {
    @Override
    Limits limits() {
        return super.limits().logBytes(12L << 20);
    }

    /// However busy the machine is, no question counts as too old.
    @Override
    Server.Builder refine(Server.Builder builder) {
        return builder.screens(
                new Screens(sessions, ScreensLimits.DEFAULT.lateAfter(PATIENCE).replyWithin(PATIENCE)));
    }

    @Test
    void aTerminalIsCreatedTypedToResizedAndEnds() throws Exception {
        Node.run("library.js", server.address(), ALICE, "tour");
    }

    @Test
    void listsAndThumbnailsAreWatchedOverALineThatBreaks() throws Exception {
        try (Cutter line = new Cutter(server.port(), 10_000, 7)) {
            String host = "127.0.0.1:" + line.port();
            server.reload(settings().allowedHosts(List.of(host)));
            Node.run("library.js", "http://" + host + "/", ALICE, "lists", "8");
            assertThat(line.cuts()).isPositive();
        }
    }

    @Test
    void whatIsTypedAndPrintedOverALineThatBreaksComesOnceAndInOrder() throws Exception {
        try (Cutter line = new Cutter(server.port(), 60_000, 7)) {
            String host = "127.0.0.1:" + line.port();
            server.reload(settings()
                    .allowedHosts(List.of(host))
                    .viewers(new ViewerLimits(512 << 10, 4 << 10, PATIENCE, 64)));
            JsonNode seen = Node.run("library.js", "http://" + host + "/", ALICE, "cut", "200000");
            System.out.println("belay-client, cut " + line.cuts() + " times: " + seen);
            assertThat(line.cuts()).isGreaterThanOrEqualTo(50);
        }
    }

    @Test
    void whoTakesTimeForTheOutputIsSentNoMoreThanTheWindow() throws Exception {
        JsonNode seen = Node.run("library.js", server.address(), ALICE, "slow", "1000000");
        System.out.println("belay-client, held up: " + seen);
    }

    @Test
    void aTerminalIsShownInXtermJs() throws Exception {
        Node.run("library.js", server.address(), ALICE, "xterm");
    }

    @Test
    void aPageThatComesLateGetsOnePictureInsteadOfMegabytes() throws Exception {
        String id = api.open(ALICE, "stty -echo; seq 1 1200000; echo up; read x; echo \"got $x\"; read y");
        sessions.get(id).cursor().await(Until.match("up"), PATIENCE);
        JsonNode seen = Node.run("library.js", server.address(), ALICE, "late", id);
        System.out.println("belay-client, late: " + seen);
        assertThat(seen.get("log_bytes").asLong()).isGreaterThan(8L << 20);
        assertThat(seen.get("repaint_bytes").asLong() + seen.get("output_bytes").asLong())
                .isLessThan(seen.get("log_bytes").asLong() / 100);
    }

    @Test
    void aPageThatWasHiddenGetsThePictureAndGoesOn() throws Exception {
        Node.run("library.js", server.address(), ALICE, "hidden", "2000000");
        assertThat(api.get(ADMIN, "/metrics").text()).contains("belay_viewer_repaints_total{reason=\"skip\"}");
    }

    @Test
    void reloadsTypeNothingAlthoughTheProgramAskedTheTerminal() throws Exception {
        String id = api.open(ALICE, "stty raw -echo; printf '\\033[?1004h\\033[6n\\033[c\\033[>c\\033[5n\\033]11;?\\007"
                + "\\033]4;1;?\\007\\033P$qm\\033\\\\\\033[?6n\\033[18t\\033[>q'; printf asked; cat -v");
        // The answers to these, which the server gives.
        long asked = sessions.get(id).cursor().await(Until.match("Belay\\^\\[\\\\"), PATIENCE).offset();
        Node.run("library.js", server.address(), ALICE, "reload", id, "5");
        api.post(ALICE, "/api/sessions/" + id + "/input", "the end.");
        sessions.get(id).cursor(asked).await(Until.match("end\\."), PATIENCE);
        assertThat(api.get(ALICE, "/api/sessions/" + id + "/output?from=" + asked).text()).isEqualTo("the end.");
    }

    @Test
    void aViewThatWatchesFollowsTheSizeAndBecomesTheDriverAndBack() throws Exception {
        Node.run("library.js", server.address(), ALICE, "watch");
    }

    @Test
    void aPagesWidthsAndColoursAreUsed() throws Exception {
        Node.run("library.js", server.address(), ALICE, "looks");
    }
}
