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
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
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
    /// What the server was asked.
    private final Queue<String> heard = new ConcurrentLinkedQueue<>();

    @BeforeAll
    static void firstSocket() throws IOException {
        Sandboxes.firstSocket();
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
        Thread.ofPlatform().daemon().start(() -> answer(here));
    }

    @AfterEach
    void stop() throws IOException {
        web.close();
    }

    private void answer(ServerSocket web) {
        while (!web.isClosed()) {
            try (Socket client = web.accept()) {
                byte[] head = new byte[4096];
                int length = client.getInputStream().read(head);
                heard.add(new String(head, 0, length, StandardCharsets.US_ASCII));
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
                .environment(new Environment(Map.of("PATH", ProgramLookup.DEFAULT_PATH))
                        .with(Map.of("MAVEN_OPTS", "-Xmx1g", "NODE_OPTIONS", "--no-warnings")))
                .build()) {
            Session session = sessions.open(SessionSpec.of("/bin/sh", "-c", script + " 2>&1")
                    .pipe()
                    .isolation(Isolation.SANDBOX.network(new Network.Hosts(hosts))));
            assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
            return session.cursor().drainText(1 << 16).text();
        }
    }

    private String url(String host) {
        return "http://" + host + ":" + web.getLocalPort() + "/";
    }

    private String through(String host) {
        return "curl -sS -p --noproxy '' -x $HTTPS_PROXY " + url(host);
    }

    /// Sends these bytes to the proxy and prints what it says.
    private static String says(String bytes) {
        return "printf '" + bytes + "' | socat -t 10 - TCP:127.0.0.1:3128";
    }

    @Test
    void aListedHostIsReachedThroughTheProxyAndNotWithoutIt() throws Exception {
        assertThat(printed(List.of("127.0.0.1:" + web.getLocalPort()), through("127.0.0.1"))).isEqualTo("served");
        assertThat(printed(List.of("127.0.0.1"), "curl -sS --noproxy '*' " + url("127.0.0.1"))).contains("curl: (7)");
    }

    @Test
    void aHostThatIsNotListedIsRefusedAndToldSo() throws Exception {
        assertThat(printed(List.of("github.com", "127.0.0.1:1"), through("127.0.0.1"))).contains("403");
        assertThat(printed(List.of("github.com"), says("CONNECT evil.example:443 HTTP/1.1\\r\\n\\r\\n")))
                .startsWith("HTTP/1.1 403 evil.example:443 is not one of the hosts of this sandbox\r\n");
        assertThat(printed(List.of("github.com"), says("GET / HTTP/1.1\\r\\n\\r\\n"))).startsWith("HTTP/1.1 405 ");
    }

    @Test
    void aPlainRequestReachesAListedHostAndNoOther() throws Exception {
        List<String> hosts = List.of("127.0.0.1");
        assertThat(printed(hosts, "curl -sS " + url("127.0.0.1"))).isEqualTo("served");
        assertThat(printed(hosts, "curl -sS http://evil.example/")).contains("evil.example:80 is not one of the hosts");
        assertThat(printed(hosts, "curl -sS --noproxy '' " + url("[::1]"))).contains("is not one of the hosts");
    }

    @Test
    void aPlainRequestIsTheOnlyOneOfItsConnection() throws Exception {
        String host = "127.0.0.1:" + web.getLocalPort();
        String said =
                printed(List.of("127.0.0.1"), says("GET http://" + host + "/a?b HTTP/1.1\\r\\nHost: evil.example\\r\\n"
                        + "Proxy-Authorization: x\\r\\nConnection: keep-alive\\r\\nX-Own: 1\\r\\n\\r\\n"));
        assertThat(said).endsWith("served");
        assertThat(heard).containsExactly(
                "GET /a?b HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\nX-Own: 1\r\n\r\n");
        printed(List.of("127.0.0.1"), says("GET http://" + host + "/one HTTP/1.1\\r\\n\\r\\n"
                + "GET http://evil.example/two HTTP/1.1\\r\\n\\r\\n"));
        assertThat(heard).noneMatch(head -> head.contains("two"));
    }

    @Test
    void socksReachesListedHostsByNameAndAddressAndNoOther() throws Exception {
        String socks = "curl -sS --noproxy '' --socks5-hostname 127.0.0.1:3128 ";
        assertThat(printed(List.of("127.0.0.1"), socks + url("127.0.0.1"))).isEqualTo("served");
        assertThat(printed(List.of("localhost", "127.0.0.1"), socks + url("localhost"))).isEqualTo("served");
        assertThat(printed(List.of("localhost"), socks + url("localhost"))).contains("curl: (97)");
        assertThat(printed(List.of("127.0.0.1:1"), socks + url("127.0.0.1"))).contains("curl: (97)");
        assertThat(printed(List.of("127.0.0.1"), socks + url("[::1]"))).contains("curl: (97)");
    }

    @Test
    void socksRefusesWhatItDoesNotDo() throws Exception {
        List<String> hosts = List.of("127.0.0.1");
        String binary = " | od -An -tx1 | head -1";
        // A password, listening, a name with a NUL, an unknown kind of address.
        assertThat(printed(hosts, says("\\005\\001\\002") + binary)).contains("05 ff");
        String begun = "\\005\\001\\000\\005";
        assertThat(printed(hosts, says(begun + "\\002\\000\\001") + binary)).contains("05 00 05 07");
        assertThat(printed(hosts, says(begun + "\\001\\000\\003\\003a\\000b\\000\\120") + binary))
                .contains("05 00 05 08");
        assertThat(printed(hosts, says(begun + "\\001\\000\\002") + binary)).contains("05 00 05 08");
    }

    /// For programs that know no proxies, such as those of databases.
    @Test
    void aListedPortIsForwarded() throws Exception {
        List<String> hosts =
                List.of("127.0.0.1:" + web.getLocalPort(), "db.example:5432", "db.example:5433", "a.example:443");
        assertThat(printed(hosts, "curl -sS --noproxy '*' " + url("127.0.0.1"))).isEqualTo("served");
        assertThat(printed(hosts, "getent hosts db.example; grep -c localhost /etc/hosts; getent hosts a.example;"
                + " for p in 5432 5433; do socat -u /dev/null TCP:db.example:$p && echo open; done"))
                .matches("127\\.1\\.0\\.1 +db.example\n[1-9]\nopen\nopen\n");
    }

    @Test
    void whatTheSandboxServesItselfNeedsNoProxy() throws Exception {
        assertThat(printed(List.of("github.com"), """
                python3 -c '
                import http.server, subprocess, threading
                server = http.server.HTTPServer(("localhost", 0), http.server.SimpleHTTPRequestHandler)
                threading.Thread(target=server.serve_forever, daemon=True).start()
                subprocess.run(["curl", "-sS", "-w", "code %{http_code}", "http://localhost:%d/" % server.server_port])
                '""")).contains("code 200");
    }

    @Test
    void settingsOfTheSessionAreKept() throws Exception {
        assertThat(printed(List.of("github.com"), "echo $MAVEN_OPTS; echo $NODE_OPTIONS")).startsWith("-Xmx1g -D")
                .contains("\n--no-warnings --require");
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
        try (HostsProxy anothers = new HostsProxy(hosts, new Sandbox.User(4242, 4242, "4242", Path.of("/home")))) {
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
    @ValueSource(strings = {"::1", "0:0:0:0:0:0:0:1", "0::0001"})
    void aListedAddressIsKnownInEverySpelling(String address) {
        Network.Hosts hosts = new Network.Hosts(List.of("[::1]:80", "[FD00::1]"));
        assertThat(hosts.allows(address, 80)).isTrue();
        assertThat(hosts.allows(address, 81)).isFalse();
        assertThat(hosts.allows(address + "2", 80)).isFalse();
        assertThat(hosts.allows("fd00:0:0::1", 81)).isTrue();
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
