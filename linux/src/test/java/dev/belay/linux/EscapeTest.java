package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Environment;
import dev.belay.Isolation;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.testkit.LeakCheck;
import dev.belay.testkit.Rig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Every way out that we know, tried from inside at every tier: each is held, or documented to pass in SECURITY.md.
@ExtendWith(LeakCheck.class)
@Timeout(300)
class EscapeTest {
    /// Each line is `name: a Python expression or statement that raises if it is held`.
    private static final String WAYS = """
            write a file outside: open(out + '/new', 'w')
            change a file outside: open(out + '/own', 'a')
            rename a file outside: os.rename(out + '/own', out + '/r') or os.rename(out + '/r', out + '/own')
            link to a file outside: os.link(out + '/own', 'linked') or os.unlink('linked')
            change the mode of a file outside: os.chmod(out + '/own', 0o600)
            change the times of a file outside: os.utime(out + '/own', (1, 1))
            read a file outside: open(out + '/secret').read()
            read the state folder: open(state + '/token').read()
            read the state folder inside of the workspace: open('state/token').read()
            read the environment of Belay: open('/proc/%d/environ' % belay).read(1)
            read the memory of Belay: open('/proc/%d/mem' % belay)
            see the root folder of Belay: os.listdir('/proc/%d/root/' % belay)
            signal Belay: os.kill(belay, 0)
            name Belay by a descriptor: os.close(os.pidfd_open(belay))
            connect by TCP: socket.create_connection(('127.0.0.1', port), 10).close()
            connect to a named socket: socket.socket(socket.AF_UNIX).connect(out + '/socket')
            see other network interfaces: socket.if_nameindex()[1]
            open a raw socket: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)
            reach the machine's host by vsock: socket.socket(40)
            make a user namespace: subprocess.run(['unshare', '-U', 'true'], check=True, stderr=-3)
            nest a sandbox: subprocess.run(['bwrap', '--bind', '/', '/', 'true'], check=True, stderr=-3)
            remount a folder: subprocess.run(['mount', '-o', 'remount,rw', '/usr'], check=True, stderr=-3)
            use io_uring: call(425, 1, 0)
            use bpf: call(calls['bpf'], 0, 0)
            use keyrings: call(calls['keyctl'], 0, -3, 0)
            set a setting of the kernel: open('/proc/sys/kernel/core_uses_pid', 'a')
            gain privileges: fail('NoNewPrivs:\\t1' in open('/proc/self/status').read())
            change a hook: open('.git/hooks/pre-commit', 'a')
            change a hook by renaming its folder: os.rename('.git', 'elsewhere') or os.rename('elsewhere', '.git')
            write the workspace: open('written', 'w')
            """;

    private static final String SCRIPT = """
            import ctypes, os, platform, socket, subprocess, sys
            out, state, belay, port = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
            calls = {'bpf': 321, 'keyctl': 250} if platform.machine() == 'x86_64' else {'bpf': 280, 'keyctl': 219}
            libc = ctypes.CDLL(None, use_errno=True)
            def call(*words):
                ctypes.set_errno(0)
                if libc.syscall(*words) < 0 and ctypes.get_errno() in (1, 38):
                    raise OSError()
            def fail(held):
                if held:
                    raise OSError()
            for way in open('ways').read().splitlines():
                name, code = way.split(': ', 1)
                try:
                    exec(code)
                    print('escaped: ' + name)
                except (OSError, IndexError, subprocess.CalledProcessError) as e:
                    print('held: ' + name)
            """;

    /// What no process may do whose user is not root, whatever the tier.
    private static final Set<String> ROOTS_OWN =
            Set.of("open a raw socket", "remount a folder", "set a setting of the kernel");

    @TempDir
    Path folder = Path.of("");

    private Path workspace = Path.of("");
    private Path outside = Path.of("");
    private Path state = Path.of("");

    /// The JVM keeps one descriptor from its first socket on.
    @BeforeAll
    static void firstSocket() throws IOException {
        ServerSocketChannel.open(StandardProtocolFamily.UNIX).close();
        new ServerSocket(0, 1, InetAddress.getLoopbackAddress()).close();
    }

    @BeforeEach
    void makeFolders() throws IOException {
        folder = folder.toRealPath();
        workspace = Files.createDirectories(folder.resolve("workspace"));
        outside = Files.createDirectories(folder.resolve("outside"));
        state = Files.createDirectories(workspace.resolve("state"));
        Files.createDirectories(workspace.resolve(".git/hooks"));
        Files.writeString(workspace.resolve(".git/hooks/pre-commit"), "");
        Files.writeString(workspace.resolve("ways"), WAYS);
        Files.writeString(workspace.resolve("script"), SCRIPT);
        Files.writeString(outside.resolve("own"), "");
        Files.writeString(outside.resolve("secret"), "a key");
        Files.writeString(state.resolve("token"), "a token");
        Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwx------"));
        for (Path open : List.of(outside, outside.resolve("own"), workspace.resolve(".git"),
                workspace.resolve(".git/hooks"), workspace.resolve(".git/hooks/pre-commit"))) {
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
            if (Sandboxes.root()) {
                Files.setAttribute(open, "unix:uid", Sandboxes.NOBODY);
            }
        }
    }

    /// The ways that are held.
    private Set<String> heldAt(Isolation isolation) throws IOException, InterruptedException {
        try (Sessions sessions = Sessions.builder(Sandboxes.host(workspace))
                .state(state)
                .environment(new Environment(Map.of("PATH", ProgramLookup.DEFAULT_PATH, "HOME", "/home/somebody")))
                .isolation(isolation)
                .build();
                ServerSocket tcp = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocketChannel named = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            named.bind(UnixDomainSocketAddress.of(outside.resolve("socket")));
            Files.setPosixFilePermissions(outside.resolve("socket"), PosixFilePermissions.fromString("rwxrwxrwx"));
            Session session = sessions.open(SessionSpec.of(
                    "python3", "script", outside.toString(), state.toString(),
                    Long.toString(ProcessHandle.current().pid()), Integer.toString(tcp.getLocalPort()))
                    .pipe());
            assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
            String said = session.cursor().drainText(1 << 16).text();
            Map<Boolean, Set<String>> told = said.lines()
                    .filter(line -> line.contains(": "))
                    .collect(Collectors.partitioningBy(
                            line -> line.startsWith("held: "),
                            Collectors.mapping(line -> line.substring(line.indexOf(": ") + 2),
                                    Collectors.toCollection(TreeSet::new))));
            assertThat(told.get(true).size() + told.get(false).size()).as(said).isEqualTo(all().size());
            return told.get(true);
        } finally {
            Files.deleteIfExists(outside.resolve("socket"));
        }
    }

    private static Set<String> all() {
        return WAYS.lines().map(line -> line.substring(0, line.indexOf(": "))).collect(Collectors.toSet());
    }

    private static Set<String> allBut(String... passing) {
        Set<String> held = new TreeSet<>(all());
        assertThat(held.removeAll(Arrays.asList(passing))).isTrue();
        return held;
    }

    @Test
    void aSandboxHoldsEveryWayOut() throws Exception {
        assertThat(heldAt(Isolation.SANDBOX)).isEqualTo(allBut("write the workspace"));
        assertThat(outside.resolve("new")).doesNotExist();
        assertThat(Files.readString(outside.resolve("secret"), StandardCharsets.UTF_8)).isEqualTo("a key");
    }

    @Test
    void aReadOnlySandboxCannotWriteItsWorkspaceEither() throws Exception {
        assertThat(heldAt(Isolation.SANDBOX.readOnly(true))).isEqualTo(all());
    }

    @Test
    void withTheMachinesNetworkASandboxReachesWhatTheMachineReaches() throws Exception {
        assertThat(heldAt(Isolation.SANDBOX.network(new dev.belay.Network.On())))
                .containsAll(allBut("write the workspace", "connect by TCP", "see other network interfaces"))
                .doesNotContain("connect by TCP");
    }

    @Test
    void whatIsListedIsShown() throws Exception {
        assertThat(heldAt(Isolation.SANDBOX.readable(List.of(outside))))
                .doesNotContain("read a file outside")
                .contains("write a file outside", "change a file outside");
        assertThat(heldAt(Isolation.SANDBOX.writable(List.of(outside))))
                .doesNotContain("read a file outside", "write a file outside");
    }

    @Test
    void limitsHoldPrivilegesAndNothingElse() throws Exception {
        Set<String> before = heldAt(Isolation.NONE);
        assertThat(before).doesNotContain("gain privileges", "read a file outside", "signal Belay");
        Set<String> limited = heldAt(Isolation.LIMITS);
        assertThat(limited).contains("gain privileges").doesNotContain("read a file outside", "signal Belay");
        limited.remove("gain privileges");
        assertThat(limited).isEqualTo(before);
        if (!Sandboxes.root()) {
            assertThat(before).containsAll(ROOTS_OWN);
        }
    }
}
