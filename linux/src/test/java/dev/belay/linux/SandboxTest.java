package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.Environment;
import dev.belay.ErrorCode;
import dev.belay.Guard;
import dev.belay.Isolation;
import dev.belay.Mode;
import dev.belay.Resources;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Until;
import dev.belay.host.Launch;
import dev.belay.testkit.LeakCheck;
import dev.belay.testkit.Rig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// How a session in a sandbox behaves where the contract leaves it open, and what is refused.
@ExtendWith(LeakCheck.class)
@Timeout(120)
class SandboxTest {
    @TempDir
    Path folder = Path.of("");

    private @Nullable Sessions opened;

    @BeforeEach
    void open() throws Exception {
        folder = folder.toRealPath();
        Files.createDirectories(folder.resolve("workspace"));
        opened = Sessions.builder(Sandboxes.host(folder.resolve("workspace")))
                .state(folder.resolve("state"))
                .environment(new Environment(Map.of("PATH", ProgramLookup.DEFAULT_PATH, "HOME", "/home/somebody")))
                .build();
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        sessions().close();
        assertThat(Rig.marked(sessions().instance() + "/")).as("processes").isEmpty();
    }

    private Sessions sessions() {
        return Objects.requireNonNull(opened);
    }

    private Session sandboxed(String... command) {
        return sessions().open(SessionSpec.of(command).isolation(Isolation.SANDBOX));
    }

    @Test
    void controlCReachesAProgramThatHandlesItAndTheSessionGoesOn() throws Exception {
        Session session = sandboxed("/bin/sh", "-c", "trap 'echo caught' INT; echo ready; while :; do read line; done");
        session.drainer().await(Until.match("ready"), Rig.PATIENCE);
        session.writeLine("\u0003");
        assertThat(session.drainer().await(Until.match("caught"), Rig.PATIENCE).text()).contains("caught");
        assertThat(session.exit()).isEmpty();
    }

    @Test
    void jobControlWorks() throws Exception {
        Session session = sandboxed("bash", "--norc", "-i");
        session.writeLine("PS1='> '; sleep 1000");
        session.drainer().await(Until.match("sleep 1000"), Rig.PATIENCE);
        session.drainer().await(Until.idle(java.time.Duration.ofMillis(300)), Rig.PATIENCE);
        session.write("\u001a");
        session.drainer().await(Until.match("Stopped"), Rig.PATIENCE);
        session.writeLine("bg; kill %1; wait; echo all' 'done");
        assertThat(session.drainer().await(Until.match("all done"), Rig.PATIENCE).text()).contains("all done");
    }

    @Test
    void whatASandboxStartsEndsWithIt() throws Exception {
        Session session = sandboxed("/bin/sh", "-c", "setsid env -i sleep 1000 & echo begun");
        assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
        assertThat(session.survivors()).isZero();
        assertThat(Rig.marked(sessions().instance() + "/")).isEmpty();
    }

    @Test
    void theEnvironmentActsInsideOnly() throws Exception {
        Session session = sessions().open(SessionSpec.of("/bin/sh", "-c", "echo $A-$LD_PRELOAD-$HOME; cd; pwd")
                .env("A", "1").env("LD_PRELOAD", "/nonexistent.so")
                .pipe()
                .isolation(Isolation.SANDBOX));
        assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
        String said = session.cursor().drainText(1 << 16).text();
        // Bubblewrap and the shell around it would complain of the library as well: once more for each.
        assertThat(said).contains("1-/nonexistent.so-/home/somebody\n/home/somebody");
        assertThat(said.split("cannot be preloaded", -1)).hasSize(2);
    }

    @Test
    void onlyWhatIsHarmlessOrNamedComesIn() throws Exception {
        Sandboxes.inheritsNothingSecret(folder.resolve("workspace"), folder.resolve("other"), Rooms.BUBBLEWRAP);
    }

    @Test
    void theRecordSaysWhatHolds() {
        var guard = Objects.requireNonNull(sandboxed("sleep", "1000").snapshot().guard());
        assertThat(guard.tier()).isEqualTo("sandbox");
        assertThat(guard.by()).isEqualTo("bubblewrap");
        assertThat(guard.files()).isEqualTo("workspace");
        assertThat(guard.network()).isEqualTo("off");
        assertThat(guard.noNewPrivs()).isTrue();
        assertThat(sessions().open(SessionSpec.of("sleep", "1000")).snapshot().guard()).isNull();
    }

    @Test
    void aProgramOutsideOfTheSandboxIsRefusedByName() throws Exception {
        Path program = Files.copy(Path.of("/bin/true"), folder.resolve("program"));
        SessionException refusal = catchThrowableOfType(
                SessionException.class, () -> sandboxed(program.toString()));
        assertThat(refusal.code()).isEqualTo(ErrorCode.SPAWN_FAILED);
        assertThat(refusal).hasMessageContaining("outside of the sandbox");
    }

    @Test
    void belaysFolderIsHiddenAlsoAmongThoseOfTheSystem() {
        Path state = Path.of("/usr/share");
        Launch launch = new Launch(
                "test/hidden", List.of("true"), ".", Map.of(), new Mode.Pipe(), Resources.AS_BELAY,
                Guard.NONE.isolation(Isolation.SANDBOX), Rooms.BUBBLEWRAP, List.of(state), null);
        try (Workspace workspace = Workspace.open(folder.resolve("workspace"));
                Bubblewrap sandbox = new Bubblewrap(workspace, null, launch, null)) {
            assertThat(sandbox.command(".")).containsSequence("--tmpfs", "/usr/share");
        }
    }

    private String said(Isolation isolation, String script) throws Exception {
        Session session =
                sessions().open(SessionSpec.of("/bin/sh", "-c", "exec 2>&1; " + script).pipe().isolation(isolation));
        assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
        return session.cursor().drainText(1 << 16).text();
    }

    @Test
    void whatTheSettingsHideIsEmptyAndStaysSo() throws Exception {
        Path tools = Files.createDirectories(folder.resolve("tools"));
        Files.writeString(Files.createDirectories(tools.resolve("keys")).resolve("key"), "secret");
        Files.writeString(tools.resolve("token"), "secret");
        Files.writeString(tools.resolve("open"), "shown\n");
        Path linked = Files.createSymbolicLink(folder.resolve("linked"), tools);
        Isolation isolation = Isolation.SANDBOX.readable(List.of(tools, linked))
                .hidden(List.of(linked.resolve("keys"), tools.resolve("token"), Path.of("/etc/passwd"),
                        Path.of("/etc/apt"), Path.of("/opt/nothing-of-that-name")));
        for (Path name : List.of(tools, linked)) {
            String look = "cd " + name + "; ls -A keys; cat token open; touch keys/x || echo held";
            assertThat(said(isolation, look)).startsWith("shown\n").endsWith("held\n").doesNotContain("secret");
        }
        assertThat(said(isolation, "cat /etc/passwd; ls -A /etc/apt; wc -l < /etc/group")).matches("[1-9][0-9]*\n");
        assertThat(tools.resolve("keys/x")).doesNotExist();
    }

    @Test
    void whatSessionsCouldRenameIsNotHidden() {
        Path workspace = folder.resolve("workspace");
        for (Path file : List.of(workspace.resolve("keys"), workspace, folder)) {
            SessionException refusal = catchThrowableOfType(SessionException.class,
                    () -> said(Isolation.SANDBOX.hidden(List.of(file)), "true"));
            assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
            assertThat(refusal).hasMessageContaining("could rename");
        }
    }

    @Test
    void temporaryFilesHaveALimit() throws Exception {
        Isolation small = Isolation.SANDBOX.tmpBytes(2 << 20);
        for (String place : List.of("/tmp", "/dev/shm", "$HOME")) {
            String fill = "(head -c 1M; echo one; head -c 4M) < /dev/zero > " + place + "/x; wc -c < " + place + "/x";
            assertThat(said(small, fill)).as(place).contains("No space left on device").endsWith("2097152\n");
        }
        String elsewhere = "for f in / /dev /run /proc /sys /usr /etc; do (: > $f/x) 2>&- && echo $f; done; echo .";
        assertThat(said(small, elsewhere)).isEqualTo(".\n");
    }

    @Test
    void theHomeIsThatOfItsUser() throws Exception {
        String own = System.getenv().getOrDefault("HOME", "/home/somebody");
        Session session = sessions().open(SessionSpec.of("/bin/sh", "-c", "echo $HOME; cd && touch x")
                .env("HOME", own).pipe().isolation(Isolation.SANDBOX));
        assertThat(session.awaitExit(Rig.PATIENCE).orElseThrow().code()).isZero();
        assertThat(session.cursor().drainText(1 << 16).text())
                .isEqualTo((Sandboxes.root() ? "/home/nobody" : own) + "\n");
    }

    @Test
    void aWorkspaceWithTheHomeOfItsUserIsRefused() throws Exception {
        Path home = Files.createDirectories(folder.resolve("homes/agent"));
        Path linked = Files.createSymbolicLink(folder.resolve("agent"), home);
        for (Path named : List.of(home, linked)) {
            Sandbox.User agent = new Sandbox.User(1234, 1234, "agent", named);
            for (Path wide : List.of(home, folder.resolve("homes"))) {
                SessionException refusal =
                        catchThrowableOfType(SessionException.class, () -> Sandbox.requireNarrow(wide, agent));
                assertThat(refusal).hasMessageContaining("run_as");
            }
            Sandbox.requireNarrow(home.resolve("project"), agent);
        }
    }

    @Test
    void aWorkspaceThatASandboxWouldHaveToHideIsRefused() {
        for (Path wide : new Path[] {Path.of("/"), Path.of(System.getProperty("user.home")), Path.of("/usr")}) {
            SessionException refusal =
                    catchThrowableOfType(SessionException.class, () -> Sandbox.requireNarrow(wide, null));
            assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
            assertThat(refusal.details()).containsEntry("reason", "isolation");
        }
        Sandbox.requireNarrow(folder, null);
    }

    @Test
    void rootAndStrangersAreRefused() {
        for (String user : new String[] {"root", "0", "nobody-of-that-name"}) {
            Rooms rooms = new Rooms(folder, user, List.of(Rooms.BUBBLEWRAP));
            SessionException refusal = catchThrowableOfType(SessionException.class, rooms::user);
            assertThat(refusal).hasMessageContaining("run_as");
        }
        if (Sandboxes.root()) {
            Rooms rooms = new Rooms(folder, null, List.of(Rooms.BUBBLEWRAP));
            SessionException refusal = catchThrowableOfType(SessionException.class, rooms::user);
            assertThat(refusal).hasMessageContaining("runs as root");
        }
    }

    @Test
    void aMachineWithoutUserNamespacesRefusesAndSaysTheFix() {
        Rooms rooms = new Rooms(folder, Sandboxes.root() ? "nobody" : null, List.of(Rooms.BUBBLEWRAP));
        SessionException refusal = catchThrowableOfType(
                SessionException.class,
                () -> rooms.require(
                        Guard.NONE.isolation(Isolation.SANDBOX), List.of(),
                        _ -> "bwrap: No permissions to create a new namespace"));
        assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(refusal).hasMessageContaining("No permissions").hasMessageContaining("user namespaces");
        assertThat(refusal.details()).containsEntry("reason", "isolation");
    }
}
