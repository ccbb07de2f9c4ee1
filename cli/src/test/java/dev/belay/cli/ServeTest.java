package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.testkit.Rig;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// The real server as a process: its start, its signals, its end.
class ServeTest extends WithBelay {
    private static final String STUBBORN =
            "{\"cmd\":\"trap '' HUP TERM; echo up; while :; do sleep 1000; done\",\"id\":\"stubborn\"}";

    @Test
    void itSaysWhereItListensKeepsItsTokenToItselfAndEndsOnSigterm() throws Exception {
        try (RunningServer server = new RunningServer(belay)) {
            assertThat(server.console).matches("Console: http://\\S+/#ticket=\\S+ .*");
            Path token = belay.state().resolve("belay/token");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(token))).isEqualTo("rw-------");
            assertThat(server.call("POST", "api/sessions", server.token(), "{\"cmd\":\"sleep 1000\"}"))
                    .startsWith("201 ");
            server.signal("TERM");
            assertThat(server.exit()).isZero();
            String log = server.errors();
            assertThat(log.lines()).allMatch(line -> line.startsWith("{\"time\":"));
            assertThat(log).contains("\"event\":\"session_opened\"", "\"reason\":\"shutdown\"",
                    "\"event\":\"stopped\"");
            assertThat(log).doesNotContain(server.token(), "1000");
        }
        assertThat(belay.processes()).isEmpty();
    }

    @Test
    void aSecondSignalHurries() throws Exception {
        Files.writeString(folder.resolve("belay.toml"), "[sessions]\nclose_grace = \"10m\"\n");
        try (RunningServer server = new RunningServer(belay, "--config", "belay.toml")) {
            openStubborn(server);
            server.signal("TERM");
            // The port is closed as soon as the first one has been heard.
            Eventually.see("no more connections", () -> refuses(server), refused -> refused);
            server.signal("TERM");
            assertThat(server.exit()).isZero();
        }
    }

    private static boolean refuses(RunningServer server) {
        URI uri = URI.create(server.address);
        try (java.net.Socket socket = new java.net.Socket(uri.getHost(), uri.getPort())) {
            return !socket.isConnected();
        } catch (java.io.IOException _) {
            return true;
        }
    }

    @Test
    void whatAKilledServerLeftIsEndedByTheNextOneAndReported() throws Exception {
        String mark;
        try (RunningServer killed = new RunningServer(belay)) {
            String health = killed.call("GET", "api/health", killed.token(), "");
            mark = health.replaceAll(".*\"instance\":\"([0-9a-f]+)\".*", "$1") + "/stubborn";
            openStubborn(killed);
            killed.signal("KILL");
            killed.exit();
        }
        assertThat(Rig.marked(mark)).as("it does not care about a hang-up").isNotEmpty();
        try (RunningServer next = new RunningServer(belay)) {
            assertThat(next.call("GET", "api/health", next.token(), ""))
                    .containsPattern("\"orphans_ended\":[1-9]");
            assertThat(Rig.marked(mark)).isEmpty();
            next.signal("TERM");
            assertThat(next.exit()).isZero();
            assertThat(next.errors()).contains("\"event\":\"orphans_ended\"");
        }
    }

    private static void openStubborn(RunningServer server) throws Exception {
        assertThat(server.call("POST", "api/sessions", server.token(), STUBBORN)).startsWith("201 ");
        assertThat(server.call("POST", "api/sessions/stubborn/wait", server.token(), "{\"match\":\"up\"}"))
                .contains("match");
    }

    @Test
    void aSessionIsViewedOverWebSocket() throws Exception {
        try (RunningServer server = new RunningServer(belay); HttpClient http = HttpClient.newHttpClient()) {
            assertThat(server.call("POST", "api/sessions", server.token(), "{\"cmd\":\"echo viewed\",\"id\":\"v\"}"))
                    .startsWith("201 ");
            CompletableFuture<Boolean> seen = new CompletableFuture<>();
            WebSocket socket = http.newWebSocketBuilder()
                    .header("Authorization", "Bearer " + server.token())
                    .buildAsync(URI.create(server.address.replace("http", "ws") + "api/sessions/v/attach?from=0"),
                            new WebSocket.Listener() {
                                @Override
                                public CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
                                    if (StandardCharsets.ISO_8859_1.decode(data).toString().contains("viewed\r\n")) {
                                        seen.complete(true);
                                    }
                                    from.request(1);
                                    return CompletableFuture.completedStage(true);
                                }
                            })
                    .get(Belay.PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(seen.get(Belay.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            socket.abort();
        }
    }

    @Test
    void sighupReadsTokensAgainAndAMistakeChangesNothing() throws Exception {
        Path file = folder.resolve("belay.toml");
        String alice = "[[principals]]\nname = \"alice\"\ntokens = [\""
                + dev.belay.server.settings.TokenHash.of("alices").text() + "\"]\n";
        Files.writeString(file, "");
        try (RunningServer server = new RunningServer(belay, "--config", "belay.toml")) {
            assertThat(server.call("GET", "api/sessions", "alices", "")).startsWith("401 ");
            Files.writeString(file, alice);
            server.signal("HUP");
            Eventually.see("alice", () -> server.call("GET", "api/sessions", "alices", ""), a -> a.startsWith("200 "));
            Files.writeString(file, alice + "[nonsense]\n");
            server.signal("HUP");
            server.call("POST", "api/sessions", "alices", "{\"cmd\":\"true\"}");
            assertThat(server.call("GET", "api/sessions", "alices", "")).startsWith("200 ");
            Files.writeString(file, "");
            server.signal("HUP");
            Eventually.see("nobody", () -> server.call("GET", "api/sessions", "alices", ""),
                    a -> !a.startsWith("200 "));
        }
    }

    /// As `nohup belay serve &` does it.
    @Test
    void aServerThatIgnoresHangUpsSaysSoAndReloadsWhenItIsAsked() throws Exception {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "trap '' HUP; exec \"$@\"", "sh"));
        command.addAll(Belay.jvm("serve", "--port", "0"));
        try (RunningServer server = new RunningServer(belay, belay.start(command))) {
            assertThat(logged(server, "hangup_ignored")).contains("'belay reload'");
            server.signal("HUP");
            assertThat(belay.run("reload").code()).isZero();
            assertThat(logged(server, "reloaded")).containsOnlyOnce("\"reloaded\"");
            server.end();
        }
    }

    @Test
    void aServerThatHearsHangUpsDoesNotComplain() throws Exception {
        try (RunningServer server = new RunningServer(belay)) {
            server.end();
            assertThat(server.errors()).doesNotContain("hangup_ignored", "\"event\":\"warning\"");
        }
    }

    /// No file may grow: the disk is as good as full.
    @Test
    void aFirstStartOnAFullDiskLeavesNoTokenAndTheNextOneWorks() throws Exception {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "ulimit -f 0; exec \"$@\"", "sh"));
        command.addAll(Belay.jvm("serve", "--port", "0"));
        Belay.Outcome full = Belay.outcome(belay.start(command), new byte[0]);
        assertThat(full.code()).isEqualTo(125);
        assertThat(full.err()).contains("belay/token cannot be used", "free space on the disk");
        assertThat(belay.leftFiles()).isEmpty();
        try (RunningServer server = new RunningServer(belay)) {
            assertThat(server.token()).hasSize(43);
        }
    }

    @Test
    void aStateFolderThatOthersCanEnterIsRefusedWithTheFix() throws Exception {
        Path state = Files.createDirectories(belay.state().resolve("belay"));
        Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.writeString(state.resolve("token"), "planted-planted-planted\n");
        Belay.Outcome refused = belay.run("serve", "--port", "0");
        assertThat(refused.code()).isEqualTo(125);
        assertThat(refused.err()).contains("is open to other users (rwxrwxrwx)", "chmod 700 '" + state + "'");
        assertThat(belay.run("run", "--", "echo", "ok").out()).as("run needs no state folder").isEqualTo("ok\n");
    }

    /// What SECURITY.md says of the environment, and of what a session can reach until it is isolated.
    @Test
    void aSessionStartsFromAShortEnvironmentAndCanReadTheServersToken() throws Exception {
        belay.env("MY_API_KEY", "kept").env("PLAIN_VARIABLE", "kept").env("SSH_AUTH_SOCK", "/passed/on");
        try (RunningServer server = new RunningServer(belay)) {
            Path token = belay.state().resolve("belay/token");
            assertThat(server.call("POST", "api/sessions", server.token(),
                    "{\"cmd\":\"env; cat " + token + "\",\"id\":\"look\"}")).startsWith("201 ");
            server.call("POST", "api/sessions/look/wait", server.token(), "{\"exit\":true}");
            assertThat(server.call("GET", "api/sessions/look/output?from=0", server.token(), ""))
                    .contains("SSH_AUTH_SOCK=/passed/on", "PATH=", server.token())
                    .doesNotContain("MY_API_KEY", "PLAIN_VARIABLE");
        }
    }

    @Test
    void whatIsDangerousIsWarnedOf() throws Exception {
        makeCertificate();
        Files.setPosixFilePermissions(folder.resolve("key.pem"), PosixFilePermissions.fromString("rw-r--r--"));
        Process open = belay.start("serve", "--port", "0", "--tls-cert", "cert.pem", "--tls-key", "key.pem");
        assertThat(warning(open)).contains("The TLS key key.pem is open to other users (rw-r--r--)",
                "chmod 600 key.pem");
        Process insecure = belay.start("serve", "--port", "0", "--host", "0.0.0.0", "--insecure");
        assertThat(warning(insecure)).contains("Listening on 0.0.0.0 without encryption", "--tls-cert");
    }

    private static String warning(Process server) throws Exception {
        try {
            return server.errorReader().lines().filter(line -> line.contains("\"event\":\"warning\"")).findFirst()
                    .orElse("none");
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    @Test
    void settingsThatNeedARestartAreNamedInTheLog() throws Exception {
        Path file = folder.resolve("belay.toml");
        Files.writeString(file, "");
        try (RunningServer server = new RunningServer(belay, "--config", "belay.toml")) {
            Files.writeString(file, """
                    [server]
                    host = "::1"
                    port = 1
                    tls_cert = "cert.pem"
                    tls_key = "key.pem"
                    insecure = true
                    [server.http]
                    header_bytes = "16 KiB"
                    header_timeout = "11s"
                    idle_timeout = "61s"
                    max_wait = "1m"
                    max_connections = 17
                    [sessions]
                    max_input_bytes = "2 MiB"
                    [env]
                    set = { EDITOR = "vim" }
                    """);
            server.signal("HUP");
            // The port is not among them: the command line says which.
            assertThat(logged(server, "restart_needed")).contains("[\"server.host\",\"server.tls_cert\","
                    + "\"server.tls_key\",\"server.insecure\",\"server.http.header_bytes\","
                    + "\"server.http.header_timeout\",\"server.http.idle_timeout\",\"server.http.max_connections\","
                    + "\"sessions.max_input_bytes\",\"env.set\"]");
            assertThat(server.call("GET", "api/health/live", "", "")).as("it listens where it did").startsWith("200 ");
            Files.writeString(file, "");
            server.signal("HUP");
            logged(server, "reloaded");
            server.end();
            assertThat(server.errors()).contains("stopped").doesNotContain("restart_needed");
        }
    }

    /// What is logged from here on until this event is.
    private static String logged(RunningServer server, String event) throws Exception {
        InputStream log = server.process.getErrorStream();
        StringBuilder said = new StringBuilder();
        return Eventually.see(
                event,
                () -> said.append(new String(log.readNBytes(log.available()), StandardCharsets.US_ASCII)).toString(),
                lines -> lines.contains("\"event\":\"" + event + "\""));
    }

    @Test
    void itDoesNotListenBeyondLoopbackWithoutEncryption() throws Exception {
        Belay.Outcome outcome = belay.run("serve", "--host", "0.0.0.0", "--port", "0");
        assertThat(outcome.code()).isEqualTo(125);
        assertThat(outcome.err()).contains("does not listen on 0.0.0.0 without encryption", "--tls-cert");
    }

    @Test
    void aMistakeInTheSettingsIsToldWithItsLine() throws Exception {
        Files.writeString(folder.resolve("belay.toml"), "[server]\nprot = 1\n");
        Belay.Outcome outcome = belay.run("serve", "--config", "belay.toml");
        assertThat(outcome.code()).isEqualTo(125);
        assertThat(outcome.err()).startsWith("belay: belay.toml:2:1: unknown setting 'server.prot'");
    }

    @Test
    void printConfigPrintsEverySetting() throws Exception {
        Belay.Outcome outcome = belay.run("serve", "--print-config");
        assertThat(outcome.code()).isZero();
        assertThat(outcome.out()).contains("[server]", "#port = 10000", "#[[principals]]");
    }

    private void makeCertificate() throws Exception {
        Process openssl = new ProcessBuilder(
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=localhost", "-days", "2")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        openssl.getInputStream().readAllBytes();
        assertThat(openssl.waitFor()).isZero();
    }

    @Test
    void tlsFromPemFilesEncrypts() throws Exception {
        makeCertificate();
        Process process = belay.start("serve", "--port", "0", "--tls-cert", "cert.pem", "--tls-key", "key.pem");
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String first = String.valueOf(out.readLine());
            assertThat(first).contains("https://127.0.0.1:");
            Process curl = new ProcessBuilder("curl", "-s", "--max-time", "30", "--insecure",
                    first.substring(first.indexOf("https"))
                            + "api/health/live")
                    .start();
            assertThat(new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("{\"status\":\"live\"}");
        } finally {
            process.destroyForcibly();
        }
    }
}
