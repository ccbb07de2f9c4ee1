package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// What the official client never does: events of somebody who has not signed in, in bytes over polling.
class EarlyEventTest extends WithServer {
    private static final String POLLING = "/socket.io/?EIO=4&transport=polling";

    private Api.Answer poll(String sid) throws Exception {
        return api.get(null, POLLING + "&sid=" + sid);
    }

    private Api.Answer post(String sid, String packet) throws Exception {
        return api.send(null, "POST", POLLING + "&sid=" + sid, packet.getBytes(StandardCharsets.UTF_8));
    }

    private String sid() throws Exception {
        Api.Answer open = api.get(null, POLLING);
        assertThat(open.status()).as("%s", open).isEqualTo(200);
        return open.text().replaceAll(".*\"sid\":\"([^\"]+)\".*", "$1");
    }

    @Test
    void anEventBeforeSigningInCostsTheConnectionAndDoesNothing() throws Exception {
        String sid = sid();
        post(sid, "420[\"create\",{\"cmd\":\"true\"}]");
        assertThat(poll(sid).text()).doesNotContain("true");
        assertThat(poll(sid).status()).isEqualTo(400);
        requireNothingOpened();
    }

    @Test
    void anEventBehindARefusedTokenDoesNothing() throws Exception {
        String sid = sid();
        post(sid, "40{\"token\":\"wrong\"}\u001e420[\"create\",{\"cmd\":\"true\"}]");
        String refusal = poll(sid).text();
        assertThat(refusal).startsWith("44{").contains("UNAUTHENTICATED");
        requireNothingOpened();
    }

    @Test
    void anEventRightBehindAGoodTokenIsAnswered() throws Exception {
        String sid = sid();
        post(sid, "40{\"token\":\"" + ALICE + "\"}\u001e420[\"list\",{}]");
        StringBuilder all = new StringBuilder();
        while (!all.toString().contains("430[{\"ok\":true,\"sessions\":[]}]")) {
            Api.Answer more = poll(sid);
            assertThat(more.status()).as("%s, after %s", more, all).isEqualTo(200);
            all.append(more.text());
        }
        assertThat(all).startsWith("40{\"sid\":");
        post(sid, "1");
    }

    private void requireNothingOpened() {
        assertThat(sessions.stats().opened()).isZero();
        assertThat(server.terminals().stats().sockets()).isZero();
    }
}
