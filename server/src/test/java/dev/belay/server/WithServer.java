package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Environment;
import dev.belay.Limits;
import dev.belay.Sessions;
import dev.belay.access.Quota;
import dev.belay.access.Role;
import dev.belay.linux.LinuxHost;
import dev.belay.server.metrics.ServerMetrics;
import dev.belay.server.settings.Account;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.TokenHash;
import dev.belay.testkit.LeakCheck;
import dev.belay.testkit.Rig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A real server with real sessions, for one test; afterwards nothing of it may be left.
@ExtendWith(LeakCheck.class)
@Timeout(240)
abstract class WithServer {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final String ADMIN = "admin-token";
    static final String ALICE = "alice-token";
    static final String BOB = "bob-token";
    static final String EVE = "eve-token";

    @TempDir
    Path folder;

    Sessions sessions;
    Server server;
    HttpClient http;
    Api api;

    /// A test changes what it needs.
    ServerSettings settings() {
        return ServerSettings.DEFAULT
                .binding(new ServerSettings.Binding("127.0.0.1", 0, null))
                .quota(new Quota(500, 10, 5, 10_000, Duration.ofMinutes(1), 1L << 30))
                .accounts(accounts());
    }

    static List<Account> accounts() {
        return List.of(
                account("admin", Role.ADMIN, ADMIN),
                account("alice", Role.USER, ALICE),
                account("bob", Role.USER, BOB),
                account("eve", Role.WATCH, EVE));
    }

    static Account account(String name, Role role, String token) {
        return new Account(name, role, List.of(TokenHash.of(token)), null);
    }

    Limits limits() {
        return Limits.DEFAULT.maxSessions(500);
    }

    LinuxHost host(Path workspace) throws IOException {
        return LinuxHost.at(workspace);
    }

    Sessions.Builder refine(Sessions.Builder builder) {
        return builder;
    }

    Server.Builder refine(Server.Builder builder) {
        return builder;
    }

    /// Java keeps a socket for itself from the first one on that is closed while it is in use; that is no leak.
    @BeforeAll
    static void useASocket() throws IOException {
        try (ServerSocketChannel here =
                ServerSocketChannel.open().bind(new InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 0));
                SocketChannel there = SocketChannel.open(here.getLocalAddress())) {
            there.configureBlocking(false);
        }
    }

    @BeforeEach
    void startServer() throws IOException {
        folder = folder.toRealPath();
        Path workspace = Files.createDirectories(folder.resolve("workspace"));
        ServerMetrics metrics = new ServerMetrics();
        sessions = refine(Sessions.builder(host(workspace))
                .state(folder.resolve("state"))
                // A home of its own: shells read the profile there.
                .environment(Environment.basic(System.getenv()).with(Map.of("HOME", folder.toString())))
                .limits(limits())
                .observer(metrics)).build();
        server = refine(Server.builder(sessions).settings(settings()).metrics(metrics).version("test")).build();
        server.start();
        http = HttpClient.newHttpClient();
        api = new Api(http, server.address());
    }

    @AfterEach
    void stopServer() throws IOException {
        http.close();
        server.close();
        assertThat(sessions.stats().permitsUsed()).as("permits").isZero();
        assertThat(Rig.marked(sessions.instance() + "/")).as("processes").isEmpty();
        assertThat(server.viewers().list()).as("viewers").isEmpty();
    }
}
