package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Environment;
import dev.belay.Isolation;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.testkit.Rig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Hosts whose sandboxes work in tests, as root and as an ordinary user.
final class Sandboxes {
    /// The user of sandboxes if the tests run as root.
    static final int NOBODY = 65_534;

    private Sandboxes() {}

    static boolean root() {
        return ProcessHandle.current().info().user().filter("root"::equals).isPresent();
    }

    /// Lets files that the tests make be used by the user of the sandboxes, if that is another.
    ///
    /// @return what to give to [#restore] afterwards
    static int openFilesToAll() {
        return root() ? umask(0) : -1;
    }

    static void restore(int mask) {
        if (mask >= 0) {
            umask(mask);
        }
    }

    private static int umask(int mask) {
        try (Arena arena = Arena.ofConfined()) {
            return (int) new Libc(arena).call(Libc.find("umask"), mask, 0, 0, 0, 0, 0, 0);
        }
    }

    /// The JVM keeps a descriptor from the first socket on. So that it counts for no test: a proxy has a socket.
    static void firstSocket() throws IOException {
        ServerSocketChannel.open(StandardProtocolFamily.UNIX).close();
    }

    /// Shows that a session sees, of what Belay inherited, only what is harmless, and all that is named.
    static void inheritsNothingSecret(Path workspace, Path state, String by) throws InterruptedException {
        Map<String, String> caller = new HashMap<>(Map.of(
                "PATH", ProgramLookup.DEFAULT_PATH, "HOME", "/home/somebody", "LANG", "C.UTF-8", "LC_TIME", "C",
                "TERM", "dumb", "VISUAL", "vi"));
        List<String> secrets = List.of("DATABASE_URL", "GH_PAT", "OPENAI_KEY", "AWS_ACCESS_KEY_ID", "MYSQL_PWD",
                "PASSPHRASE", "CREDENTIALS", "npm_config__auth", "SSH_AUTH_SOCK", "HTTPS_PROXY");
        secrets.forEach(name -> caller.put(name, "inherited"));
        try (Sessions sessions = Sessions.builder(host(workspace, by))
                .state(state)
                .environment(Environment.inherited(caller).with(Map.of("BY_SETTINGS", "1", "GH_PAT", "named")))
                .isolation(Isolation.SANDBOX.protectedPaths(List.of()))
                .build()) {
            Session session = sessions.open(SessionSpec.of("env").pipe().env("PASSPHRASE", "named"));
            assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
            List<String> lines = session.cursor().drainText(1 << 16).text().lines().toList();
            assertThat(lines)
                    .contains("LANG=C.UTF-8", "LC_TIME=C", "TERM=dumb", "VISUAL=vi")
                    .contains("BY_SETTINGS=1", "GH_PAT=named", "PASSPHRASE=named");
            assertThat(lines).extracting(line -> line.replaceFirst("=.*", ""))
                    .doesNotContainAnyElementsOf(secrets.stream()
                            .filter(name -> !name.equals("GH_PAT") && !name.equals("PASSPHRASE"))
                            .toList());
        }
    }

    /// A host for a workspace that the user of its sandboxes can reach and write.
    static LinuxHost host(Path workspace) {
        return host(workspace, Rooms.BUBBLEWRAP);
    }

    /// The same, by one mechanism or several.
    static LinuxHost host(Path workspace, String... by) {
        LinuxHost host = LinuxHost.at(workspace).sandboxedBy(List.of(by));
        if (!root()) {
            return host;
        }
        try {
            Files.setAttribute(workspace, "unix:uid", NOBODY);
            Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
            for (Path above = workspace; above != null && !above.equals(temporary); above = above.getParent()) {
                Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return host.runAs(Integer.toString(NOBODY));
    }
}
