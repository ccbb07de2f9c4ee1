package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Environment;
import dev.belay.Isolation;
import dev.belay.Network;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.testkit.LeakCheck;
import dev.belay.testkit.Rig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A sandbox with a list of hosts reaches these through the proxy, and nothing else.
@ExtendWith(LeakCheck.class)
@Timeout(120)
class HostsProxyTest {
    @TempDir
    Path folder = Path.of("");

    private ServerSocket web = unbound();

    /// The JVM keeps some descriptors from the first socket on that a virtual thread waits for.
    @BeforeAll
    static void firstSocket() throws Exception {
        ServerSocketChannel.open(StandardProtocolFamily.UNIX).close();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread waits = Thread.ofVirtual().start(() -> {
                try (Socket client = server.accept()) {
                    assertThat(client.getInputStream().read()).isNegative();
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            while (waits.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            new Socket(server.getInetAddress(), server.getLocalPort()).close();
            waits.join();
        }
    }

    private static ServerSocket unbound() {
        try {
            return new ServerSocket();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @BeforeEach
    void serve() throws IOException {
        folder = folder.toRealPath();
        web.close();
        web = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        ServerSocket here = web;
        Thread.ofVirtual().start(() -> answer(here));
    }

    @AfterEach
    void stop() throws IOException {
        web.close();
    }

    private static void answer(ServerSocket web) {
        while (!web.isClosed()) {
            try (Socket client = web.accept()) {
                byte[] head = new byte[4096];
                assertThat(client.getInputStream().read(head)).isPositive();
                client.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nserved"
                        .getBytes(StandardCharsets.US_ASCII));
            } catch (IOException _) {
                // Closed at the end of the test.
            }
        }
    }

    /// What a command prints in a sandbox that may reach these hosts.
    private String printed(List<String> hosts, String script) throws Exception {
        Path workspace = Files.createDirectories(folder.resolve("workspace"));
        try (Sessions sessions = Sessions.builder(Sandboxes.host(workspace))
                .state(folder.resolve("state"))
                .environment(new Environment(Map.of("PATH", ProgramLookup.DEFAULT_PATH)))
                .build()) {
            Session session = sessions.open(SessionSpec.of("/bin/sh", "-c", script + " 2>&1")
                    .pipe()
                    .isolation(Isolation.SANDBOX.network(new Network.Hosts(hosts))));
            assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
            return session.cursor().drainText(1 << 16).text();
        }
    }

    private String through(String host) {
        return "curl -sS -p -x $HTTPS_PROXY http://" + host + ":" + web.getLocalPort() + "/";
    }

    @Test
    void aListedHostIsReachedThroughTheProxyAndNotWithoutIt() throws Exception {
        List<String> hosts = List.of("127.0.0.1:" + web.getLocalPort());
        assertThat(printed(hosts, through("127.0.0.1"))).isEqualTo("served");
        assertThat(printed(hosts, "curl -sS http://127.0.0.1:" + web.getLocalPort() + "/")).contains("curl: (7)");
    }

    @Test
    void aHostThatIsNotListedIsRefusedAndToldSo() throws Exception {
        assertThat(printed(List.of("github.com", "127.0.0.1:1"), through("127.0.0.1"))).contains("403");
        assertThat(printed(List.of("github.com"), "printf 'CONNECT evil.example:443 HTTP/1.1\\r\\n\\r\\n'"
                + " | socat - TCP:127.0.0.1:3128"))
                .isEqualTo("HTTP/1.1 403 evil.example:443 is not one of the hosts of this sandbox\r\n\r\n");
        assertThat(printed(List.of("github.com"), "printf 'GET / HTTP/1.1\\r\\n\\r\\n' | socat - TCP:127.0.0.1:3128"))
                .startsWith("HTTP/1.1 405 ");
    }

    /// What the proxy answers to this process.
    private static String answered(HostsProxy proxy) throws IOException {
        try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(proxy.socket()))) {
            client.write(StandardCharsets.US_ASCII.encode("CONNECT evil.example:443 HTTP/1.1\r\n\r\n"));
            ByteBuffer answer = ByteBuffer.allocate(4096);
            while (client.read(answer) > 0) {
                assertThat(answer.hasRemaining()).isTrue();
            }
            return new String(answer.array(), 0, answer.position(), StandardCharsets.US_ASCII);
        } catch (IOException _) {
            // The proxy has closed the connection before it read what we asked.
            return "";
        }
    }

    @Test
    void onlyTheUserOfTheSandboxMayConnectAndNothingIsHandedOver() throws Exception {
        Network.Hosts hosts = new Network.Hosts(List.of("github.com"));
        try (HostsProxy ours = new HostsProxy(hosts, null)) {
            assertThat(answered(ours)).startsWith("HTTP/1.1 403 ");
        }
        try (HostsProxy anothers = new HostsProxy(hosts, new Sandbox.User(4242, 4242))) {
            assertThat(answered(anothers)).isEmpty();
            Path parent = Objects.requireNonNull(anothers.socket().getParent());
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(parent))).isEqualTo("rwx--x--x");
            for (Path own : List.of(parent, anothers.socket())) {
                assertThat(Files.getOwner(own)).isEqualTo(Files.getOwner(folder));
            }
        }
    }

    /// As by a name whose owner lets it point to this machine.
    @Test
    void aListedNameWithAPrivateAddressIsRefused() throws Exception {
        assertThat(printed(List.of("localhost"), through("localhost"))).contains("403");
        assertThat(printed(List.of("localhost", "127.0.0.1"), through("localhost"))).isEqualTo("served");
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "127.0.0.1", "127.9.9.9", "0.0.0.0", "0.1.2.3", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254",
            "100.64.0.1", "198.18.0.1", "192.0.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1",
            "fd12::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1",
            "64:ff9b::a00:1", "2002:7f00:1::", "2002:c0a8:101::"
    })
    void privateAddressesAreKnownInEveryForm(String address) throws Exception {
        assertThat(PrivateAddress.is(InetAddress.getByName(address))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.1.1.1", "100.128.0.1", "172.32.0.1", "2606:4700::1111", "64:ff9b::101:101"})
    void publicAddressesAreNotPrivate(String address) throws Exception {
        assertThat(PrivateAddress.is(InetAddress.getByName(address))).isFalse();
    }
}
