package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.SessionObserver;
import dev.belay.SessionRecord;
import dev.belay.Sessions;
import dev.belay.Until;
import dev.belay.Waited;
import dev.belay.access.Role;
import dev.belay.server.logs.EventLog;
import dev.belay.server.settings.Account;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.ServerSettings.DoorSettings;
import dev.belay.server.settings.ServerSettings.ViewerLimits;
import dev.belay.testkit.Rig;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/// Terminals over Socket.IO, driven by the official client; `client/test/terminals.js` has what it does.
@Tag("any-user")
class TerminalTest extends WithServer {
    private final LinkedBlockingQueue<String> log = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<SessionRecord> closed = new LinkedBlockingQueue<>();

    @Override
    ServerSettings settings() {
        return super.settings().doors(doors(Duration.ZERO, 3, Duration.ofSeconds(60)));
    }

    private static DoorSettings doors(Duration pace, int queue, Duration grace) {
        DoorSettings standard = DoorSettings.DEFAULT;
        return new DoorSettings(
                standard.terminalIdleTimeout(), pace, queue, grace);
    }

    @Override
    Limits limits() {
        return super.limits().logBytes(32L << 20);
    }

    @Override
    Sessions.Builder refine(Sessions.Builder builder) {
        return builder.observer(new SessionObserver() {
            @Override
            public void closed(SessionRecord session) {
                closed.add(session);
            }
        });
    }

    @Override
    Server.Builder refine(Server.Builder builder) {
        return builder.events(EventLog.json(new PrintStream(OutputStream.nullOutputStream()) {
            @Override
            public void println(String line) {
                log.add(line);
            }
        }));
    }

    private JsonNode play(String token, String scenario, String... args) throws Exception {
        List<String> all = new ArrayList<>(List.of(server.address(), token, scenario));
        all.addAll(List.of(args));
        return Node.run("terminals.js", all.toArray(String[]::new));
    }

    /// Waits for an event in the log.
    private String logged(String event) throws InterruptedException {
        while (true) {
            String line = log.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(line).as("%s in the log", event).isNotNull().doesNotContain(ALICE);
            if (line.contains("\"event\":\"" + event + "\"")) {
                return line;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"websocket", "polling", "defaults"})
    void aTerminalIsCreatedTypedToResizedSignalledAndEnds(String way) throws Exception {
        play(ALICE, "tour", way);
        assertThat(logged("client_connected")).contains("\"principal\":\"alice\"");
        assertThat(logged("client_disconnected")).contains("\"reason\":\"client namespace disconnect\"");
    }

    @Test
    void aPageWithATokenGetsALoginShell() throws Exception {
        play(ALICE, "page");
    }

    @Test
    void mistakesAreAnsweredWithACodeAndCostNothing() throws Exception {
        play(ALICE, "mistakes");
        assertThat(sessions.stats().permitsUsed()).isZero();
    }

    @Test
    void strangersStayOut() throws Exception {
        play(ALICE, "signIn");
        assertThat(server.authority().failures()).isEqualTo(4);
        assertThat(server.terminals().stats().sockets()).isZero();
    }

    @Test
    void aMessageBeyondAllLimitsCostsTheConnectionAndNotTheSession() throws Exception {
        play(ALICE, "tooLong");
    }

    @ParameterizedTest
    @ValueSource(strings = {"websocket", "polling", "defaults"})
    void aFloodArrivesCompleteAndInOrder(String way) throws Exception {
        JsonNode seen = play(ALICE, "flood", way, "500000");
        System.out.println("socket.io-client, " + way + ": " + seen);
        assertThat(server.terminals().stats().upgrades()).isEqualTo(way.equals("defaults") ? 1 : 0);
    }

    @Test
    void aClientThatDoesNotReadCostsNextToNothingAndHoldsUpNobody() throws Exception {
        JsonNode seen = play(ALICE, "stalled", ADMIN, "5000000");
        System.out.println("stalled client: " + seen);
    }

    @Test
    void aProgramThatDoesNotReadHoldsUpNoOther() throws Exception {
        play(ALICE, "deaf");
    }

    @Test
    void inputWhoseAnswerWasLostIsWrittenOnce() throws Exception {
        play(ALICE, "inputOnce", "60");
    }

    @Test
    void whoLeavesATerminalWithoutGraceLeavesNothingBehind() throws Exception {
        server.reload(settings().doors(doors(Duration.ZERO, 3, Duration.ZERO)));
        String id = play(ALICE, "leave", "drop").get("id").asString();
        requireClosed(id);
        assertThat(server.viewers().reconnectGrace().ended()).isEqualTo(1);
        assertThat(logged("owner_gone")).contains(id);
    }

    @Test
    void whoLeavesATerminalHasItsGraceToComeBack() throws Exception {
        server.reload(settings().doors(doors(Duration.ZERO, 3, Duration.ofSeconds(2))));
        long start = System.nanoTime();
        String id = play(ALICE, "leave", "drop").get("id").asString();
        requireClosed(id);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(Duration.ofSeconds(2).toNanos());
    }

    private void requireClosed(String id) throws Exception {
        SessionRecord record = closed.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(record).isNotNull();
        assertThat(record.id()).isEqualTo(id);
        assertThat(sessions.find(id)).isEmpty();
        assertThat(Rig.marked(sessions.instance() + "/" + id)).isEmpty();
        assertThat(sessions.stats().permitsUsed()).isZero();
        assertThat(server.viewers().reconnectGrace().count()).isZero();
    }

    @Test
    void whoComesBackInTimeFindsTheTerminalAsItWas() throws Exception {
        String id = play(ALICE, "leave", "drop").get("id").asString();
        JsonNode back = play(ALICE, "comeBack", id, ADMIN);
        assertThat(back.get("state").asString()).isEqualTo("running");
        assertThat(back.get("away").asInt()).isZero();
        assertThat(server.viewers().reconnectGrace().ended()).isZero();
    }

    @Test
    void othersWhoViewATerminalDoNotKeepItForItsOwner() throws Exception {
        String id = play(ALICE, "leave", "drop").get("id").asString();
        try (Socket admin = Socket.attach(http, server.address(), ADMIN, id, "?from=0")) {
            admin.until("up");
            // The owner comes back within the grace; with the others there is none for the second time.
            try (Socket owner = Socket.attach(http, server.address(), ALICE, id, "?from=0")) {
                owner.until("up");
                server.reload(settings().doors(doors(Duration.ZERO, 3, Duration.ZERO)));
            }
            requireClosed(id);
        }
    }

    @Test
    void aKeptTerminalLivesOnAndARevokedTokenDoesNotGetIt() throws Exception {
        server.reload(settings().doors(doors(Duration.ZERO, 3, Duration.ZERO)));
        String id = play(ALICE, "leave", "keep").get("id").asString();
        assertThat(sessions.find(id)).isPresent();
        assertThat(server.viewers().reconnectGrace().count()).isZero();
        assertThat(play(ALICE, "comeBack", id, ADMIN).get("state").asString()).isEqualTo("running");
        server.reload(settings().accounts(List.of(account("admin", Role.ADMIN, ADMIN))));
        JsonNode refused = play(ALICE, "refusedAtTheDoor");
        assertThat(refused.get("code").asString()).isEqualTo("UNAUTHENTICATED");
    }

    @Test
    void aRevokedTokenEndsTheConnectionAndIsRefusedWhenItComesBack() throws Exception {
        String id = play(ALICE, "leave", "keep").get("id").asString();
        Session session = sessions.find(id).orElseThrow();
        CompletableFuture<Void> client = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                play(ALICE, "revoked", id);
                client.complete(null);
            } catch (Exception | AssertionError e) {
                client.completeExceptionally(e);
            }
        });
        Waited ready = session.cursor(0).await(Until.match("ready"), PATIENCE);
        assertThat(ready.fired()).isEqualTo(Waited.Fired.MATCH);
        server.reload(settings().accounts(List.of(account("admin", Role.ADMIN, ADMIN))));
        client.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void whoCreatesTooSoonIsToldWhenToTryAgain() throws Exception {
        server.reload(settings().doors(doors(Duration.ofMinutes(10), 0, Duration.ZERO)));
        JsonNode refused = play(ALICE, "early");
        assertThat(refused.get("retry_after_ms").asLong()).isBetween(1L, Duration.ofMinutes(10).toMillis());
        assertThat(logged("create_refused")).contains("RATE_LIMITED");
        assertThat(server.gate().rateLimited()).isEqualTo(1);
    }

    @Test
    void creationsWaitTheirTurnAndTheSixthTerminalIsOneTooMany() throws Exception {
        server.reload(settings().doors(doors(Duration.ofMillis(500), 4, Duration.ZERO)));
        JsonNode seen = play(ALICE, "queued", "5");
        assertThat(seen.get("took_ms").asLong()).isGreaterThanOrEqualTo(4 * 500);
        assertThat(server.gate().rateLimited()).isZero();
        assertThat(seen.at("/error/code").asString()).isEqualTo("LIMIT_REACHED");
        assertThat(seen.at("/error/message").asString()).startsWith("Maximum PTY sessions reached (5 of 5)");
    }

    @Test
    void twentyClientsHaveFiveTerminalsEach() throws Exception {
        List<Account> users = IntStream.range(0, 20)
                .mapToObj(i -> account("user" + i, Role.USER, "token" + i))
                .toList();
        server.reload(settings().accounts(users));
        play("none", "crowd",
                IntStream.range(0, 20).mapToObj(i -> "token" + i).collect(Collectors.joining(",")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"websocket", "defaults"})
    void aHundredCutsLoseNothingAndRepeatNothing(String way) throws Exception {
        int lines = 600_000;
        try (Cutter line = new Cutter(server.port(), 80_000, 42)) {
            String host = "127.0.0.1:" + line.port();
            // Small messages: of one that is cut in the middle nothing arrives.
            server.reload(settings()
                    .allowedHosts(List.of(host))
                    .viewers(new ViewerLimits(512 << 10, 4 << 10, PATIENCE, 64)));
            JsonNode seen = Node.run("terminals.js", "http://" + host + "/", ALICE, "cut", way, "" + lines);
            System.out.println("cut " + line.cuts() + " times, " + way + ": " + seen);
            assertThat(line.cuts()).isGreaterThanOrEqualTo(100);
            assertThat(seen.get("sha256").asString()).isEqualTo(sequence(lines));
        }
    }

    private static String sequence(int lines) throws NoSuchAlgorithmException {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (int i = 1; i <= lines; i++) {
            digest.update((i + "\n").getBytes(StandardCharsets.US_ASCII));
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
