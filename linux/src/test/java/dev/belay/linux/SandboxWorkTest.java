package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Environment;
import dev.belay.Isolation;
import dev.belay.Network;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Until;
import dev.belay.testkit.LeakCheck;
import dev.belay.testkit.Rig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Real tools in a sandbox with a list of hosts reach a server on this machine through the proxy. They are told
/// nothing about it but what the sandbox sets.
@ExtendWith(LeakCheck.class)
@Timeout(300)
class SandboxWorkTest {
    private static final Pattern LISTENS = Pattern.compile(".* port ([0-9]+) .*");

    private static final String FETCH =
            "const r = await fetch(process.argv[2]); console.log(r.status, await r.text())";

    @TempDir
    Path folder = Path.of("");

    private @Nullable Process server;
    private int port;

    @BeforeAll
    static void firstSocket() throws IOException {
        Sandboxes.firstSocket();
    }

    @BeforeEach
    void serve() throws Exception {
        folder = folder.toRealPath();
        Files.createDirectories(folder.resolve("web"));
        Files.createDirectories(folder.resolve("workspace"));
        listen("/usr/bin/python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory",
                web("").toString());
    }

    @AfterEach
    void stop() throws Exception {
        Process running = Objects.requireNonNull(server);
        running.destroy();
        running.waitFor();
    }

    /// Starts a server and waits until it says on which port it listens.
    private void listen(String... command) throws IOException {
        Process started = new ProcessBuilder(command).redirectErrorStream(true).start();
        server = started;
        BufferedReader said = started.inputReader();
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            Matcher listens = LISTENS.matcher(line);
            if (listens.matches()) {
                port = Integer.parseInt(listens.group(1));
                return;
            }
        }
        throw new AssertionError(String.join(" ", command) + " does not listen");
    }

    private Path web(String file) {
        return folder.resolve("web").resolve(file);
    }

    private String url() {
        return "http://127.0.0.1:" + port;
    }

    /// Runs a script outside.
    private void prepare(String script) throws Exception {
        Process shell = new ProcessBuilder("/bin/sh", "-ec", script).directory(web("").toFile())
                .redirectErrorStream(true).start();
        String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(shell.waitFor()).as(said).isZero();
    }

    /// What a script prints in a sandbox that may reach this machine.
    private String printed(String script) throws Exception {
        try (Sessions sessions = Sessions.builder(Sandboxes.host(folder.resolve("workspace")))
                .state(folder.resolve("state"))
                .environment(new Environment(Map.of("PATH", ProgramLookup.DEFAULT_PATH, "HOME", "/home/somebody",
                        "LANG", "C.UTF-8")))
                .build()) {
            Session session = sessions.open(SessionSpec.of("/bin/sh", "-ec", "exec 2>&1; " + script)
                    .pipe()
                    .isolation(Isolation.SANDBOX.network(new Network.Hosts(List.of("127.0.0.1")))));
            assertThat(session.awaitExit(Rig.PATIENCE.multipliedBy(4))).isPresent();
            return session.cursor().drainText(1 << 16).text();
        }
    }

    @Test
    void gitClones() throws Exception {
        prepare("""
                git init -q work && cd work && echo content > file && git add file
                git -c user.name=a -c user.email=a@b commit -q -m one
                git clone -q --bare . ../project.git && git -C ../project.git update-server-info
                """);
        prepare("git init -q ../workspace");
        assertThat(printed("git clone -q " + url() + "/project.git && cd project && cat file && git config"
                + " user.name a &&"
                + " git config user.email a@b && git checkout -q -b topic && echo 2 > two && git add two && git"
                + " commit -qm two"
                + " && git checkout -q - && echo 3 > three && git add three && git commit -qm three && git"
                + " checkout -q"
                + " topic && git rebase -q - && git log --format=%s"))
                .isEqualTo("content\ntwo\nthree\none\n");
    }

    @Test
    void makeBuildsWhatACompilerMakes() throws Exception {
        Files.writeString(folder.resolve("workspace/main.c"),
                "#include <stdio.h>\nint main(void) { puts(\"built\"); return 0; }\n");
        Files.writeString(folder.resolve("workspace/Makefile"), "main: main.c\n\tcc -o $@ $<\n");
        assertThat(printed("make -s && ./main")).isEqualTo("built\n");
    }

    @Test
    void aDevServerAnswersWithin() throws Exception {
        Files.writeString(folder.resolve("workspace/page"), "served\n");
        assertThat(printed("python3 -u -m http.server 8000 --bind localhost >server.log 2>&1 & until grep -q port"
                + " server.log; do :; done; curl -sS http://localhost:8000/page")).isEqualTo("served\n");
    }

    @Test
    void vimEditsAFile() throws Exception {
        try (Sessions sessions = Sessions.builder(Sandboxes.host(folder.resolve("workspace")))
                .state(folder.resolve("state"))
                .environment(new Environment(Map.of("PATH", ProgramLookup.DEFAULT_PATH, "HOME", "/home/somebody",
                        "TERM", "xterm")))
                .isolation(Isolation.SANDBOX)
                .build()) {
            Session session = sessions.open(SessionSpec.of("vim", "-u", "NONE", "notes"));
            session.drainer().await(Until.match("notes"), Rig.PATIENCE);
            session.write("ihello\u001b:wq\r");
            assertThat(session.awaitExit(Rig.PATIENCE).orElseThrow().code()).isZero();
        }
        assertThat(folder.resolve("workspace/notes")).hasContent("hello");
    }

    @Test
    void npmInstalls() throws Exception {
        prepare("""
                mkdir package && echo '{"name":"tiny","version":"1.0.0"}' > package/package.json
                echo 'module.exports = "tiny"' > package/index.js && tar czf tiny-1.0.0.tgz package
                version='{"name":"tiny","version":"1.0.0","dist":{"tarball":"%s/tiny-1.0.0.tgz"}}'
                echo '{"name":"tiny","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":'"$version"'}}' > tiny
                """
                .formatted(url()));
        assertThat(
                printed("echo '{\"scripts\": {\"test\": \"node -p \\\"require('\\''tiny'\\'')\\\"\"}}' >"
                        + " package.json; export"
                        + " npm_config_registry=" + url() + "; O='--silent --no-audit --no-fund"
                        + " --no-update-notifier'; npm"
                        + " install $O tiny && rm -rf node_modules && npm ci $O && npm test $O"))
                .isEqualTo("tiny\n");
    }

    @Test
    void mavenResolves() throws Exception {
        Path parent = Files.createDirectories(web("example/parent/1")).resolve("parent-1.pom");
        Files.writeString(parent, pom("", "parent", "<properties><said>resolved</said></properties>"));
        Files.writeString(folder.resolve("workspace/pom.xml"), pom(
                "<parent><groupId>example</groupId><artifactId>parent</artifactId><version>1</version><relativePath/>"
                        + "</parent>",
                "child",
                "<repositories><repository><id>local</id><url>" + url() + "</url></repository></repositories>"));
        assertThat(printed("mvn -B -ntp -Dmaven.repo.local=repository verify; ls repository/example/parent/1"))
                .contains("BUILD SUCCESS").contains("parent-1.pom\n");
    }

    private static String pom(String parent, String name, String more) {
        return "<project><modelVersion>4.0.0</modelVersion>" + parent + "<groupId>example</groupId><artifactId>" + name
                + "</artifactId><version>1</version><packaging>pom</packaging>" + more + "</project>";
    }

    @Test
    void nodeFetches() throws Exception {
        Files.writeString(web("file"), "content");
        Files.writeString(folder.resolve("workspace/fetch.mjs"), FETCH);
        assertThat(printed("node fetch.mjs " + url() + "/file")).isEqualTo("200 content\n");
        assertThat(printed(
                "node fetch.mjs http://evil.example/ | grep -o 'fetch failed\\|not one of the hosts' | head -1"))
                .isNotEmpty();
        Files.writeString(folder.resolve("workspace/own.cjs"), """
                const server = require('http').createServer((_, answer) => answer.end('own'));
                server.listen(0, 'localhost', async () => {
                    const answer = await fetch('http://localhost:' + server.address().port);
                    console.log(await answer.text());
                    process.exit();
                });
                """);
        assertThat(printed("node own.cjs")).isEqualTo("own\n");
    }

    @Test
    void pythonAndPipFetch() throws Exception {
        Path index = Files.createDirectories(web("simple/tiny"));
        Files.writeString(web("wheel.py"),
                """
                        import zipfile
                        info = 'tiny-1.dist-info/'
                        files = {'tiny.py': 'said = "tiny"',
                            info + 'METADATA': 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1\\n',
                            info + 'WHEEL': 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n'}
                        files[info + 'RECORD'] = ''.join(f + ',,\\n' for f in files) + info + 'RECORD,,\\n'
                        with zipfile.ZipFile('simple/tiny/tiny-1-py3-none-any.whl', 'w') as wheel:
                            for name, content in files.items():
                                wheel.writestr(name, content)
                        """);
        prepare("/usr/bin/python3 wheel.py");
        Files.writeString(index.resolve("index.html"), "<a href=tiny-1-py3-none-any.whl>tiny-1-py3-none-any.whl</a>");
        assertThat(printed(
                "/usr/bin/python3 -m venv venv; venv/bin/pip install -q --disable-pip-version-check --no-cache-dir"
                        + " --index-url " + url() + "/simple tiny; venv/bin/python -c 'import tiny;"
                        + " print(tiny.said)'"))
                .isEqualTo("tiny\n");
        assertThat(printed("/usr/bin/python3 -c 'import urllib.request as u; print(u.urlopen(\"" + url()
                + "/simple/tiny/\").status)'")).isEqualTo("200\n");
    }

    @Test
    void curlAndNodeFetchOverTls() throws Exception {
        stop();
        Files.writeString(web("file"), "content");
        Files.writeString(folder.resolve("workspace/fetch.mjs"), FETCH);
        prepare("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key"
                + " -out ../workspace/cert -days 2 -subj /CN=test -addext subjectAltName=IP:127.0.0.1");
        listen("/usr/bin/python3", "-u", "-c", """
                import http.server, os, ssl
                os.chdir("WEB")
                server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain("../workspace/cert", "key")
                server.socket = context.wrap_socket(server.socket, server_side=True)
                print("on port", server.server_port, "now")
                server.serve_forever()
                """.replace("WEB", web("").toString()));
        String url = "https://127.0.0.1:" + port + "/file";
        assertThat(printed("curl -sS --cacert cert " + url)).isEqualTo("content");
        assertThat(printed("NODE_EXTRA_CA_CERTS=cert node fetch.mjs " + url)).isEqualTo("200 content\n");
        assertThat(printed("node fetch.mjs " + url)).contains("fetch failed");
    }

    /// Up to the point where both sides have introduced themselves.
    @Test
    void sshConnects() throws Exception {
        try (ServerSocket host = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<String> heard = new CompletableFuture<>();
            Thread greets = Thread.ofPlatform().start(() -> heard.completeAsync(() -> greeted(host), Runnable::run));
            String said = printed("ssh -o StrictHostKeyChecking=no -o BatchMode=yes -p " + host.getLocalPort()
                    + " somebody@127.0.0.1 || true");
            assertThat(heard.get(Rig.PATIENCE.toSeconds(), TimeUnit.SECONDS)).as(said).startsWith("SSH-2.0-OpenSSH");
            greets.join();
        }
    }

    private static String greeted(ServerSocket host) {
        try (Socket client = host.accept()) {
            client.getOutputStream().write("SSH-2.0-test\r\n".getBytes(StandardCharsets.US_ASCII));
            return new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
