package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Limits;
import dev.belay.server.ServerSettings.ViewerLimits;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// Our own library for pages, `belay-client`; `client/test/library.js` has what it does.
@Tag("any-user")
class ClientLibraryTest extends WithServer {
    @Override
    Limits limits() {
        return super.limits().logBytes(32L << 20);
    }

    @Test
    void aTerminalIsCreatedTypedToResizedAndEnds() throws Exception {
        Node.run("library.js", server.address(), ALICE, "tour");
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
}
