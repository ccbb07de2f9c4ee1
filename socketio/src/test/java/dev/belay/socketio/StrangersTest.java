package dev.belay.socketio;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

/// Clients that have not been let in, and whom they cost a place.
class StrangersTest {
    private static SocketAddress at(String address) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByName(address), 4000);
    }

    @Test
    void beyondAnAddresssShareItsOldestGoes() throws Exception {
        Strangers<String> strangers = new Strangers<>(10, 2);
        assertThat(strangers.enter(at("192.0.2.9"), "other")).isNull();
        assertThat(strangers.enter(at("192.0.2.1"), "first")).isNull();
        assertThat(strangers.enter(at("192.0.2.1"), "second")).isNull();
        assertThat(strangers.enter(at("192.0.2.1"), "third")).isEqualTo("first");
        assertThat(strangers.size()).isEqualTo(3);
    }

    @Test
    void beyondTheLimitOfAllTheOldestOfTheLargestAddressGoes() throws Exception {
        Strangers<String> strangers = new Strangers<>(3, 10);
        strangers.enter(at("192.0.2.9"), "oldest of all");
        strangers.enter(at("192.0.2.1"), "first of the flood");
        strangers.enter(at("192.0.2.1"), "second of the flood");
        assertThat(strangers.enter(at("192.0.2.2"), "newcomer")).isEqualTo("first of the flood");
    }

    @Test
    void loopbackHasTheLimitOfAllAlone() throws Exception {
        Strangers<Integer> strangers = new Strangers<>(5, 2);
        for (int i = 0; i < 5; i++) {
            assertThat(strangers.enter(at("127.0.0.1"), i)).isNull();
        }
        assertThat(strangers.enter(at("127.0.0.1"), 5)).isZero();
    }

    @Test
    void addressesOfOneIpv6NetworkAreOne() throws Exception {
        Strangers<Integer> strangers = new Strangers<>(10, 1);
        assertThat(strangers.enter(at("2001:db8::1"), 1)).isNull();
        assertThat(strangers.enter(at("2001:db8::2"), 2)).isEqualTo(1);
        assertThat(strangers.enter(at("2001:db8:0:1::1"), 3)).isNull();
    }

    @Test
    void thoseWhoAreLetInOrGoLeaveTheirPlaces() throws Exception {
        Strangers<Integer> strangers = new Strangers<>(2, 2);
        for (int i = 0; i < 1000; i++) {
            assertThat(strangers.enter(at("192.0.2.1"), i)).isNull();
            assertThat(strangers.leave(i)).isTrue();
            assertThat(strangers.leave(i)).isFalse();
        }
        assertThat(strangers.size()).isZero();
    }

    @Test
    void aFloodOfHandshakesCostsOnlyClientsThatWereNotLetIn() throws Exception {
        try (EchoServer server = EchoServer.start(builder -> builder.maxStrangers(4, 4).maxConnections(10));
                Wire in = Wire.enter(server)) {
            String first = Wire.poll(server);
            for (int i = 0; i < 50; i++) {
                Wire.poll(server);
            }
            assertThat(server.stats().strangers()).isEqualTo(4);
            assertThat(server.stats().connections()).isEqualTo(5);
            assertThat(server.stats().closed().get(DisconnectReason.CROWDED_OUT)).isEqualTo(47);
            assertThat(Wire.get(server, first).status()).isEqualTo(400);
            try (Wire late = Wire.enter(server)) {
                for (Wire wire : new Wire[] {in, late}) {
                    assertThat(wire.send("42[\"message\"]").text()).isEqualTo("42[\"message-back\"]");
                }
            }
        }
    }
}
