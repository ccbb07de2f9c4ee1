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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
            set an attribute of a file outside: os.setxattr(out + '/own', 'user.belay', b'x')
            truncate a file outside: os.truncate(out + '/own', 0)
            run a program outside: subprocess.run([out + '/program'], check=True)
            list a folder outside: os.listdir(out)
            look at a file outside: os.stat(out + '/secret')
            watch a folder outside: fail(libc.inotify_add_watch(libc.inotify_init(), out.encode(), 0x100) < 0)
            read a file outside: open(out + '/secret').read()
            read the state folder: open(state + '/token').read()
            read the state folder inside of the workspace: open('state/token').read()
            read the environment of Belay: open('/proc/%d/environ' % belay).read(1)
            read the memory of Belay: open('/proc/%d/mem' % belay)
            read the command line of Belay: open('/proc/%d/cmdline' % belay).read(1)
            see the root folder of Belay: os.listdir('/proc/%d/root/' % belay)
            signal Belay: os.kill(belay, 0)
            take a descriptor of Belay: call(438, os.pidfd_open(belay), 0, 0)
            see the limits of Belay: resource.prlimit(belay, resource.RLIMIT_CORE)
            set the priority of Belay: os.setpriority(0, belay, os.getpriority(0, belay))
            share memory with another process: fail(libc.shmat(memory, None, 0o10000) == -1)
            name Belay by a descriptor: os.close(os.pidfd_open(belay))
            connect by TCP: socket.create_connection(('127.0.0.1', port), 10).close()
            connect by MPTCP: socket.socket(2, 1, 262).connect(('127.0.0.1', port))
            connect by TCP while sending: socket.socket(2, 1).sendto(b'x', 0x20000000, ('127.0.0.1', port))
            send by UDP: asked(socket.socket(2, 2), udp)
            connect to an abstract socket: socket.socket(1).connect('\\0belay-%d' % neighbour)
            send to a named socket: socket.socket(1, 2).sendto(b'x', out + '/datagrams')
            send to a named socket by a pair: socket.socketpair(1, 2)[0].sendto(b'x', out + '/datagrams')
            connect a pair to a named socket: socket.socketpair(1, 3)[0].connect(out + '/datagrams')
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
            gain privileges: fail(libc.prctl(39, 0, 0, 0, 0) == 1)
            change a hook: open('.git/hooks/pre-commit', 'a')
            change a hook by renaming its folder: os.rename('.git', 'elsewhere') or os.rename('elsewhere', '.git')
            write the workspace: open('written', 'w')
            """;

    private static final String SCRIPT = """
            import ctypes, os, platform, resource, socket, subprocess, sys
            out, state = sys.argv[1:3]
            belay, port, udp, neighbour, memory = map(int, sys.argv[3:])
            calls = {'bpf': 321, 'keyctl': 250} if platform.machine() == 'x86_64' else {'bpf': 280, 'keyctl': 219}
            libc = ctypes.CDLL(None, use_errno=True)
            libc.shmat.restype = ctypes.c_ssize_t
            def call(*words):
                ctypes.set_errno(0)
                if libc.syscall(*words) < 0 and ctypes.get_errno() in (1, 38):
                    raise OSError()
            def asked(s, port):
                s.settimeout(60)
                s.connect(('127.0.0.1', port))
                s.send(b'x')
                s.recv(1)
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

    /// Another process of the machine, whom a session may try to reach. It ends with its input.
    private static final String NEIGHBOUR = """
            import ctypes, os, socket, sys, threading
            libc = ctypes.CDLL(None, use_errno=True)
            libc.shmat.restype = ctypes.c_ssize_t
            udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            udp.bind(('127.0.0.1', 0))
            abstract = socket.socket(socket.AF_UNIX)
            abstract.bind('\\0belay-%d' % os.getpid())
            abstract.listen()
            datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            datagrams.bind(sys.argv[1] + '/datagrams')
            os.chmod(sys.argv[1] + '/datagrams', 0o777)
            memory = libc.shmget(0, 4096, 0o1666)
            # It goes with the last process that has it.
            assert libc.shmat(memory, None, 0) != -1 and libc.shmctl(memory, 0, None) == 0
            def echo():
                while True:
                    data, who = udp.recvfrom(1)
                    udp.sendto(data, who)
            threading.Thread(target=echo, daemon=True).start()
            print(udp.getsockname()[1], os.getpid(), memory, flush=True)
            sys.stdin.read()
            """;

    /// What no process may do whose user is not root, whatever the tier.
    private static final Set<String> ROOTS_OWN =
            Set.of("open a raw socket", "remount a folder", "set a setting of the kernel");

    @TempDir
    Path folder = Path.of("");

    private Path workspace = Path.of("");
    private Path outside = Path.of("");
    private Path state = Path.of("");
    private String by = Rooms.BUBBLEWRAP;

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
        Files.copy(Path.of("/bin/true"), outside.resolve("program"));
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
        Process neighbour = new ProcessBuilder("python3", "-c", NEIGHBOUR, outside.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (Sessions sessions = Sessions.builder(Sandboxes.host(workspace, by))
                .state(state)
                .environment(new Environment(Map.of("PATH", ProgramLookup.DEFAULT_PATH, "HOME", "/home/somebody")))
                .isolation(isolation)
                .build();
                ServerSocket tcp = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
                ServerSocketChannel named = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            named.bind(UnixDomainSocketAddress.of(outside.resolve("socket")));
            Files.setPosixFilePermissions(outside.resolve("socket"), PosixFilePermissions.fromString("rwxrwxrwx"));
            List<String> command = new ArrayList<>(List.of(
                    "python3", "script", outside.toString(), state.toString(),
                    Long.toString(ProcessHandle.current().pid()), Integer.toString(tcp.getLocalPort())));
            command.addAll(List.of(neighbour.inputReader().readLine().split(" ")));
            Session session = sessions.open(SessionSpec.of(command).pipe());
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
            neighbour.getOutputStream().close();
            assertThat(neighbour.waitFor()).isZero();
            neighbour.getInputStream().close();
            Files.deleteIfExists(outside.resolve("datagrams"));
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
                .containsAll(allBut(
                        "write the workspace", "connect by TCP", "connect by MPTCP", "connect by TCP while sending",
                        "send by UDP", "connect to an abstract socket", "see other network interfaces"))
                .doesNotContain("connect by TCP", "send by UDP", "connect to an abstract socket");
    }

    // --- by Landlock ---

    private static final Isolation LANDLOCKED = Isolation.SANDBOX.protectedPaths(List.of());

    /// What Landlock does not keep, as SECURITY.md says.
    private static final String[] PASSING = {
            "change the mode of a file outside", "change the times of a file outside",
            "set an attribute of a file outside", "look at a file outside", "watch a folder outside",
            "name Belay by a descriptor", "set the priority of Belay", "change a hook",
            "change a hook by renaming its folder", "write the workspace"
    };

    /// The state folder is elsewhere: Landlock cannot hide it in the workspace, see [LandlockTest].
    private Set<String> heldByLandlockAt(Isolation isolation) throws IOException, InterruptedException {
        by = Rooms.LANDLOCK;
        Files.deleteIfExists(workspace.resolve("state/token"));
        state = Files.createDirectories(folder.resolve("state"));
        Files.writeString(state.resolve("token"), "a token");
        Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwx------"));
        return heldAt(isolation);
    }

    /// What passes without a sandbox at all, of these.
    private String[] passingAnyway(String... ways) throws IOException, InterruptedException {
        Set<String> held = heldAt(Isolation.NONE);
        return Stream.of(ways)
                // Root may do all of it there, but the sandbox has another user.
                .filter(way -> !held.contains(way) && !(Sandboxes.root() && way.equals("set the priority of Belay")))
                .toArray(String[]::new);
    }

    @Test
    @ExtendWith(LandlockOrRefusal.class)
    void landlockHoldsEveryWayOutButThoseThatAreDocumented() throws Exception {
        Set<String> held = heldByLandlockAt(LANDLOCKED);
        assertThat(outside.resolve("new")).doesNotExist();
        assertThat(Files.readString(outside.resolve("secret"), StandardCharsets.UTF_8)).isEqualTo("a key");
        assertThat(held).isEqualTo(allBut(passingAnyway(PASSING)));
    }

    @Test
    @ExtendWith(LandlockOrRefusal.class)
    void aReadOnlySandboxByLandlockCannotChangeItsWorkspace() throws Exception {
        assertThat(heldByLandlockAt(Isolation.SANDBOX.readOnly(true)))
                .contains(
                        "write the workspace", "change a hook", "change a hook by renaming its folder",
                        "link to a file outside", "read a file outside");
    }

    @Test
    @ExtendWith(LandlockOrRefusal.class)
    void withTheMachinesNetworkLandlockLetsOutTcpAndUdpOnly() throws Exception {
        assertThat(heldByLandlockAt(LANDLOCKED.network(new dev.belay.Network.On())))
                .doesNotContain("connect by TCP", "send by UDP")
                .contains(
                        "connect to a named socket", "connect to an abstract socket", "send to a named socket",
                        "send to a named socket by a pair", "open a raw socket", "reach the machine's host by vsock");
    }

    @Test
    @ExtendWith(LandlockOrRefusal.class)
    void landlockShowsWhatIsListed() throws Exception {
        assertThat(heldByLandlockAt(LANDLOCKED.readable(List.of(outside))))
                .doesNotContain("read a file outside", "list a folder outside", "run a program outside")
                .contains("write a file outside", "change a file outside", "rename a file outside");
        assertThat(heldByLandlockAt(LANDLOCKED.writable(List.of(outside))))
                .doesNotContain("read a file outside", "write a file outside", "rename a file outside");
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
