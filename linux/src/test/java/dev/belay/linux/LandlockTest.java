package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.Environment;
import dev.belay.ErrorCode;
import dev.belay.Guard;
import dev.belay.Isolation;
import dev.belay.Mode;
import dev.belay.Network;
import dev.belay.Resources;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.host.Launch;
import dev.belay.testkit.LeakCheck;
import dev.belay.testkit.Rig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Sandboxes by Landlock: what they are given, what is refused, and when they are used.
@ExtendWith(LeakCheck.class)
@ExtendWith(LandlockOrRefusal.class)
@Timeout(300)
class LandlockTest {
    private static final Isolation OPEN = Isolation.SANDBOX.protectedPaths(List.of());

    @TempDir
    Path folder = Path.of("");

    private Path workspace = Path.of("");

    @BeforeEach
    void makeFolders() throws IOException {
        folder = folder.toRealPath();
        workspace = Files.createDirectories(folder.resolve("workspace"));
    }

    private Sessions sessions(Path state, String... by) {
        return Sessions.builder(Sandboxes.host(workspace, by))
                .state(state)
                .environment(new Environment(Map.of("PATH", ProgramLookup.DEFAULT_PATH, "HOME", "/home/somebody")))
                .isolation(Isolation.NONE)
                .build();
    }

    private Sessions sessions(String... by) {
        return sessions(folder.resolve("state"), by);
    }

    private String said(Session session) throws InterruptedException {
        assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
        return session.cursor().drainText(1 << 16).text();
    }

    private SessionException refusal(Isolation isolation) {
        try (Sessions sessions = sessions(Rooms.LANDLOCK)) {
            return refusal(sessions, isolation);
        }
    }

    private static SessionException refusal(Sessions sessions, Isolation isolation) {
        SessionException refusal = catchThrowableOfType(
                SessionException.class, () -> sessions.open(SessionSpec.of("true").isolation(isolation)));
        assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(refusal.details()).containsEntry("reason", "isolation");
        return refusal;
    }

    // --- what it is given ---

    @Test
    void theRecordSaysWhatKeepsIt() {
        try (Sessions sessions = sessions(Rooms.LANDLOCK)) {
            var guard = sessions.open(SessionSpec.of("sleep", "1000").isolation(OPEN)).snapshot().guard();
            assertThat(Objects.requireNonNull(guard).by()).isEqualTo("landlock");
            assertThat(guard.tier()).isEqualTo("sandbox");
            assertThat(guard.noNewPrivs()).isTrue();
        }
    }

    @Test
    void onlyWhatIsHarmlessOrNamedComesIn() throws Exception {
        Sandboxes.inheritsNothingSecret(workspace, folder.resolve("state"), Rooms.LANDLOCK);
    }

    @Test
    void aSessionHasAFolderOfItsOwnThatGoesWithIt() throws Exception {
        String all = "cd; echo kept > file; mkdir -p a/b; chmod 500 a; ln -s " + workspace + " out; echo $HOME; mktemp";
        Files.writeString(workspace.resolve("stays"), "");
        try (Sessions sessions = sessions(Rooms.LANDLOCK)) {
            Session session = sessions.open(SessionSpec.of("/bin/sh", "-c", all).pipe().isolation(OPEN));
            List<String> lines = said(session).lines().toList();
            Path own = Path.of(lines.getFirst());
            assertThat(lines).hasSize(2);
            assertThat(lines.getLast()).startsWith(own + "/");
            assertThat(own).exists();
            session.close();
            assertThat(own).doesNotExist();
            assertThat(workspace.resolve("stays")).exists();
        }
    }

    @Test
    void compilersShellsAndPipesWork() throws Exception {
        String script = "printf 'int main(){return 7;}' > a.c && gcc a.c -o a; ./a; echo $?;"
                + " bash -c 'cat <(echo pipe) - <<< here';"
                + " python3 -c 'import subprocess; subprocess.run(\"id\")' | wc -l;"
                + " python3 -c 'import socket; a, b = socket.socketpair(); a.send(b\"x\"); print(b.recv(1))';"
                + " python3 -c 'import threading; t = threading.Thread(target=print, args=[1]); t.start(); t.join()'";
        try (Sessions sessions = sessions(Rooms.LANDLOCK)) {
            Session session = sessions.open(SessionSpec.of("/bin/sh", "-c", script).pipe().isolation(OPEN));
            assertThat(said(session)).isEqualTo("7\npipe\nhere\n1\nb'x'\n1\n");
        }
    }

    @Test
    void itsTerminalIsItsOwnAndNoOtherIsToBeHad() throws Exception {
        String script = "tty >/dev/tty; stty size; python3 -c 'import pty; pty.openpty()' 2>&1 | tail -n 1";
        try (Sessions sessions = sessions(Rooms.LANDLOCK)) {
            Session session =
                    sessions.open(SessionSpec.of("/bin/sh", "-c", script).size(132, 43).isolation(OPEN));
            assertThat(said(session)).matches("/dev/pts/\\d+\r\n43 132\r\nOSError: .*\r\n");
        }
    }

    /// Unix, IPv4, IPv6, netlink, packets, vsock.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10, 16, 17, 40})
    void thereAreNoSockets(int family) throws Exception {
        String script = "import socket\ntry: socket.socket(%d)\nexcept OSError as e: print(e.errno)".formatted(family);
        try (Sessions sessions = sessions(Rooms.LANDLOCK)) {
            Session session = sessions.open(SessionSpec.of("python3", "-c", script).pipe().isolation(OPEN));
            assertThat(said(session)).isEqualTo("13\n");
        }
    }

    @Test
    void aWatchedSessionIsKeptToo() throws Exception {
        try (Sessions sessions = sessions(Rooms.LANDLOCK)) {
            Session session = sessions.open(SessionSpec.of("/bin/sh", "-c", "/bin/echo one; cat /proc/1/status")
                    .pipe()
                    .guard(Guard.NONE.isolation(OPEN).watched(true)));
            assertThat(said(session)).contains("one\n").contains("Permission denied");
        }
    }

    /// A thread that has restricted itself can load no class. If it tried, the class could never be used again.
    @Test
    void theFirstSessionOfAJvmMayBeOne() throws Exception {
        List<String> probe = Jvm.probe(folder.resolve("state").toString(), "landlock", workspace.toString());
        assertThat(Jvm.run(probe)).isEqualTo("landlock: in\nlandlock: in\nkernel: in\n".repeat(2));
    }

    // --- what is refused ---

    @ParameterizedTest
    @CsvSource({
            "-38, this kernel has no Landlock", "-95, switched off", "-1, seccomp profile", "1, ABI 1", "5, ABI 5"
    })
    void kernelsWithoutEnoughAreRefusedWithTheFix(int abi, String why) {
        SessionException refusal =
                catchThrowableOfType(SessionException.class, () -> Landlock.requireKernel(abi));
        assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(refusal).hasMessageContaining(why).hasMessageContaining("Linux 6.12");
        assertThat(refusal.details()).containsEntry("reason", "isolation");
        Landlock.requireKernel(Landlock.LEAST_ABI);
    }

    @Test
    void protectedPathsAreRefusedUnlessNothingCanBeWritten() throws Exception {
        Files.createDirectories(workspace.resolve(".git/hooks"));
        assertThat(refusal(Isolation.SANDBOX)).hasMessageContaining(".git")
                .hasMessageContaining("protected = []");
        try (Sessions sessions = sessions(Rooms.LANDLOCK)) {
            Session session = sessions.open(SessionSpec.of("touch", ".git/hooks/x").pipe()
                    .isolation(Isolation.SANDBOX.readOnly(true)));
            assertThat(said(session)).contains("Permission denied");
        }
        assertThat(workspace.resolve(".git/hooks/x")).doesNotExist();
    }

    @Test
    void whatIsToBeReadOnlyInsideOfAWritableFolderIsRefused() {
        assertThat(refusal(OPEN.readable(List.of(workspace.resolve("vendor"))))).hasMessageContaining("readable");
    }

    @Test
    void hidingSomethingIsRefused() {
        assertThat(refusal(OPEN.hidden(List.of(Path.of("/etc/apt")))))
                .hasMessageContaining("/etc/apt")
                .hasMessageContaining("set hidden to []");
    }

    @Test
    void aListOfHostsIsRefused() {
        assertThat(refusal(OPEN.network(new Network.Hosts(List.of("example.com"))))).hasMessageContaining("hosts");
    }

    @Test
    void aStateFolderThatWouldBeShownIsRefused() throws Exception {
        Path linked = Files.createSymbolicLink(folder.resolve("linked"), workspace);
        for (Path state : List.of(workspace.resolve("state"), linked.resolve("state"))) {
            try (Sessions sessions = sessions(state, Rooms.LANDLOCK)) {
                assertThat(refusal(sessions, OPEN)).hasMessageContaining("state folder");
            }
        }
    }

    // --- when it is used ---

    private String chosen(Rooms rooms, Isolation isolation, String failing) {
        return rooms.require(Guard.NONE.isolation(isolation), List.of(), by -> by.equals(failing) ? "No" : "");
    }

    private Rooms rooms(String... by) {
        return new Rooms(workspace, Sandboxes.root() ? "nobody" : null, List.of(by));
    }

    @Test
    void theFirstMechanismThatCanKeepASessionDoes() {
        assertThat(chosen(rooms("bubblewrap", "landlock"), OPEN, "")).isEqualTo("bubblewrap");
        assertThat(chosen(rooms("bubblewrap", "landlock"), OPEN, "bubblewrap")).isEqualTo("landlock");
        assertThat(chosen(rooms("landlock", "bubblewrap"), OPEN, "")).isEqualTo("landlock");
        Isolation hosts = OPEN.network(new Network.Hosts(List.of("example.com")));
        assertThat(chosen(rooms("landlock", "bubblewrap"), hosts, "")).isEqualTo("bubblewrap");
    }

    @Test
    void unlessItIsNamedItIsNotUsed() {
        SessionException refusal = catchThrowableOfType(
                SessionException.class, () -> chosen(rooms("bubblewrap"), OPEN, "bubblewrap"));
        assertThat(refusal).hasMessageContaining("bubblewrap says").message().doesNotContain("Landlock");
        SessionException both = catchThrowableOfType(SessionException.class,
                () -> chosen(rooms("bubblewrap", "landlock"), OPEN.network(new Network.Hosts(List.of("a.example"))),
                        "bubblewrap"));
        assertThat(both).hasMessageContaining("bubblewrap says").hasMessageContaining("Landlock cannot keep a list");
    }

    @Test
    void onceChosenItStaysUntilTheRestart() {
        Rooms rooms = rooms("bubblewrap", "landlock");
        assertThat(chosen(rooms, OPEN, "bubblewrap")).isEqualTo("landlock");
        assertThat(chosen(rooms, OPEN, "")).isEqualTo("landlock");
    }

    // --- the rules ---

    @Test
    void theRulesAreWhatIsShownAndNoMore() {
        Path tools = Path.of("/srv/tools");
        Path cache = Path.of("/srv/cache");
        Isolation isolation = OPEN.readable(List.of(tools)).writable(List.of(cache));
        assertThat(rules(isolation))
                .containsEntry(workspace, Landlock.WRITE)
                .containsEntry(cache, Landlock.WRITE)
                .containsEntry(tools, Landlock.READ)
                .containsEntry(Path.of("/usr"), Landlock.READ)
                .containsEntry(Path.of("/dev/null"), Landlock.DEVICE)
                .doesNotContainKeys(Path.of("/"), Path.of("/proc"), Path.of("/dev"), Path.of("/tmp"), Path.of("/home"));
        assertThat(rules(isolation.readOnly(true)))
                .containsEntry(workspace, Landlock.READ)
                .containsEntry(cache, Landlock.READ);
    }

    private Map<Path, Long> rules(Isolation isolation) {
        Launch launch = new Launch(
                "test/rules", List.of("true"), ".", Map.of(), new Mode.Pipe(), Resources.AS_BELAY,
                Guard.NONE.isolation(isolation), Rooms.LANDLOCK, List.of(), null);
        try (Landlock landlock = new Landlock(workspace, null, launch)) {
            return landlock.rules();
        }
    }
}
