package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.Environment;
import dev.belay.ErrorCode;
import dev.belay.Isolation;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.testkit.LeakCheck;
import dev.belay.testkit.Rig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Names in the workspace decide nothing about what a sandbox is shown: neither links nor free names do.
@ExtendWith(LeakCheck.class)
@Timeout(300)
class PlantedLinkTest {
    private static final String SECRET = "a key of somebody else";

    @TempDir
    Path folder = Path.of("");

    private Path workspace = Path.of("");
    private Path outside = Path.of("");

    @BeforeEach
    void makeFolders() throws IOException {
        folder = folder.toRealPath();
        workspace = Files.createDirectories(folder.resolve("workspace"));
        outside = Files.createDirectories(folder.resolve("outside"));
        Files.writeString(outside.resolve("secret"), SECRET);
        Files.createDirectories(outside.resolve("hooks"));
        Files.writeString(outside.resolve("config"), "");
        for (Path open : List.of(outside, outside.resolve("secret"), outside.resolve("hooks"),
                outside.resolve("config"))) {
            if (Sandboxes.root()) {
                Files.setAttribute(open, "unix:uid", Sandboxes.NOBODY);
            }
        }
    }

    private Sessions sessions(Isolation isolation, String by) {
        return Sessions.builder(Sandboxes.host(workspace, by))
                .state(folder.resolve("state"))
                .environment(new Environment(Map.of("PATH", ProgramLookup.DEFAULT_PATH, "HOME", "/home/somebody")))
                .isolation(isolation)
                .build();
    }

    private static String run(Sessions sessions, String script) throws InterruptedException {
        Session session = sessions.open(SessionSpec.of("/bin/sh", "-c", script).pipe());
        assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
        String said = session.cursor().drainText(1 << 16).text();
        session.close();
        return said;
    }

    private static List<String> all() {
        return Stream.concat(Isolation.PROTECTED.stream(), Isolation.PROTECTED_IF_PRESENT.stream()).toList();
    }

    private Set<String> names() throws IOException {
        try (Stream<Path> all = Files.list(workspace)) {
            return all.map(one -> one.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /// As a clone or an earlier session may have left them.
    @Test
    void aLinkInThePlaceOfAProtectedPathIsRefusedAndNamed() throws Exception {
        Path up = Path.of("../outside");
        for (Isolation isolation : List.of(Isolation.SANDBOX, Isolation.SANDBOX.network(new dev.belay.Network.On()))) {
            try (Sessions sessions = sessions(isolation, Rooms.BUBBLEWRAP)) {
                for (String name : all()) {
                    for (Path target : List.of(up, outside, Path.of("/proc"), Path.of("/nowhere"), Path.of("."),
                            Path.of(name))) {
                        Path link = Files.createSymbolicLink(workspace.resolve(name), target);
                        SessionException refusal = catchThrowableOfType(
                                SessionException.class, () -> run(sessions, "cat " + name + "/secret"));
                        assertThat(refusal).as(name).isNotNull();
                        assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                        assertThat(refusal.details()).containsEntry("reason", "isolation");
                        assertThat(refusal).hasMessageContaining(link.toString())
                                .hasMessageContaining(target.toString())
                                .hasMessageContaining("Remove the link").hasMessageNotContaining("bwrap");
                        Files.delete(link);
                        assertThat(names()).isEmpty();
                    }
                }
            }
        }
    }

    @Test
    void aLinkAboveAProtectedPathIsRefused() throws Exception {
        Files.createSymbolicLink(workspace.resolve("settings"), outside);
        Isolation isolation = Isolation.SANDBOX.protectedPaths(List.of("settings/hooks"));
        try (Sessions sessions = sessions(isolation, Rooms.BUBBLEWRAP)) {
            assertThat(catchThrowableOfType(SessionException.class, () -> run(sessions, "true")))
                    .hasMessageContaining("settings").hasMessageContaining(outside.toString());
        }
    }

    @Test
    void aReadOnlySandboxFollowsNoLinkEither() throws Exception {
        for (String name : all()) {
            Files.createSymbolicLink(workspace.resolve(name), Path.of("../outside"));
        }
        try (Sessions sessions = sessions(Isolation.SANDBOX.readOnly(true), Rooms.BUBBLEWRAP)) {
            assertThat(run(sessions, "cat */secret .*/secret /proc/1/environ; echo done"))
                    .contains("done").doesNotContain(SECRET);
        }
    }

    /// The first session plants what the second would be shown.
    @Test
    void noSessionCanPutALinkWhereTheNextIsProtected() throws Exception {
        try (Sessions sessions = sessions(Isolation.SANDBOX, Rooms.BUBBLEWRAP)) {
            String names = String.join(" ", Isolation.PROTECTED);
            String said = run(sessions, "for n in " + names + "; do ln -sfn ../outside $n; ln -sT ../outside $n;"
                    + " mv $n elsewhere; rmdir $n; rm -rf $n; echo evil > $n; [ -L $n ] && echo planted $n;"
                    + " done; true");
            assertThat(said).doesNotContain("planted");
            assertThat(run(sessions, "cat */secret .*/secret; ls -A")).doesNotContain(SECRET);
            // Files in folders that stand for free names are the session's own.
            run(sessions, "for n in " + names + "; do chmod 777 $n; mkdir -p $n/hooks; echo evil > $n/hooks/x; done");
        }
        assertThat(names()).doesNotContainAnyElementsOf(
                Isolation.PROTECTED.stream().filter(name -> !name.equals(".git")).toList());
    }

    @Test
    void whatIsReservedIsGoneAfterTheLastSandboxAndSurvivesTheFirst() throws Exception {
        Files.writeString(workspace.resolve("file"), "");
        try (Sessions sessions = sessions(Isolation.SANDBOX, Rooms.BUBBLEWRAP)) {
            Session first = sessions.open(SessionSpec.of("cat"));
            Session second = sessions.open(SessionSpec.of("cat"));
            assertThat(names()).contains(".vscode", ".git", "file");
            first.close();
            assertThat(names()).contains(".vscode", ".git", "file");
            assertThat(run(sessions, "mkdir .vscode; mv .vscode x; ls -d .vscode x")).contains("'x': No such file");
            second.close();
            assertThat(names()).containsExactly("file");
        }
    }

    @Test
    void whatAPersonPutsIntoAReservedFolderStays() throws Exception {
        try (Sessions sessions = sessions(Isolation.SANDBOX, Rooms.BUBBLEWRAP)) {
            Session session = sessions.open(SessionSpec.of("cat"));
            Files.writeString(workspace.resolve(".vscode/settings.json"), "{}");
            assertThat(run(sessions, "echo evil > .vscode/settings.json; cat .vscode/settings.json"))
                    .contains("Read-only file system").contains("{}");
            session.close();
        }
        assertThat(names()).containsExactly(".vscode");
        assertThat(workspace.resolve(".vscode/settings.json")).hasContent("{}");
    }

    @Test
    void whatAKilledBelayReservedIsRemovedByTheNext() throws Exception {
        try (Sessions sessions = sessions(Isolation.SANDBOX, Rooms.BUBBLEWRAP)) {
            Session session = sessions.open(SessionSpec.of("cat"));
            // What a crash leaves: the folders as they are while the session lives.
            Path left = Files.createDirectory(folder.resolve("left"));
            for (String name : names()) {
                new ProcessBuilder("cp", "-a", workspace.resolve(name).toString(), left.toString()).start().waitFor();
            }
            session.close();
            assertThat(names()).isEmpty();
            try (Stream<Path> all = Files.list(left)) {
                for (Path one : all.toList()) {
                    Files.move(one, workspace.resolve(one.getFileName()));
                }
            }
            assertThat(names()).contains(".vscode", ".git");
            run(sessions, "true");
            assertThat(names()).isEmpty();
        }
    }

    @Test
    void settingsCanOpenAProtectedPath() throws Exception {
        Files.createDirectories(workspace.resolve(".vscode"));
        if (Sandboxes.root()) {
            Files.setAttribute(workspace.resolve(".vscode"), "unix:uid", Sandboxes.NOBODY);
        }
        Isolation isolation = Isolation.SANDBOX.writable(List.of(workspace.resolve(".vscode")));
        try (Sessions sessions = sessions(isolation, Rooms.BUBBLEWRAP)) {
            assertThat(run(sessions, "echo fine > .vscode/settings.json && echo evil > .idea/x"))
                    .contains(".idea/x");
        }
        assertThat(workspace.resolve(".vscode/settings.json")).hasContent("fine");
    }

    @Test
    void nothingBecomesWritableBecauseSomethingBelowItIsProtected() throws Exception {
        Files.createDirectories(workspace.resolve("vendor/tool/hooks"));
        for (Path one : List.of(Path.of("vendor"), Path.of("vendor/tool"), Path.of("vendor/tool/hooks"))) {
            if (Sandboxes.root()) {
                Files.setAttribute(workspace.resolve(one), "unix:uid", Sandboxes.NOBODY);
            }
        }
        Isolation isolation = Isolation.SANDBOX.readable(List.of(workspace.resolve("vendor")))
                .protectedPaths(List.of("vendor/tool/hooks"));
        try (Sessions sessions = sessions(isolation, Rooms.BUBBLEWRAP)) {
            assertThat(run(sessions, "echo x > vendor/x; echo x > vendor/tool/x; echo x > vendor/tool/hooks/x; find"))
                    .contains("./vendor/tool/hooks").doesNotContain("/x\n");
        }
    }

    /// Settings name the path, but the session may have put a link there.
    @Test
    void listedPathsInsideOfTheWorkspaceFollowNoLink() throws Exception {
        Files.createSymbolicLink(workspace.resolve("vendor"), Path.of("../outside"));
        Files.createDirectories(workspace.resolve("real"));
        Files.createSymbolicLink(workspace.resolve("real/deeper"), outside);
        Isolation open = Isolation.SANDBOX.protectedPaths(List.of());
        for (String by : List.of(Rooms.BUBBLEWRAP, Rooms.LANDLOCK)) {
            for (String path : List.of("vendor", "vendor/hooks", "real/deeper", "real/deeper/hooks")) {
                for (boolean writable : new boolean[] {false, true}) {
                    if (by.equals(Rooms.LANDLOCK) && (!writable || Machine.landlockAbi() < Landlock.LEAST_ABI)) {
                        continue;
                    }
                    List<Path> listed = List.of(workspace.resolve(path));
                    try (Sessions sessions =
                            sessions(writable ? open.writable(listed) : open.readable(listed), by)) {
                        SessionException refusal = catchThrowableOfType(
                                SessionException.class, () -> run(sessions, "cat vendor/secret"));
                        assertThat(refusal).as(by + " " + path).isNotNull().hasMessageContaining("link");
                    }
                }
            }
        }
    }

    @Test
    void linksThatTheOperatorMadeElsewhereAreFollowed() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("cache"), outside);
        try (Sessions sessions = sessions(Isolation.SANDBOX.readable(List.of(link)), Rooms.BUBBLEWRAP)) {
            assertThat(run(sessions, "cat " + link + "/secret")).contains(SECRET);
        }
    }

    /// Renaming the folder above would show the state to the next session.
    @Test
    void theFolderAboveAHiddenStateFolderCannotBeRenamed() throws Exception {
        Files.createDirectories(workspace.resolve("var/belay"));
        Path state = workspace.resolve("var/belay/state");
        for (Path one : List.of(workspace.resolve("var"), workspace.resolve("var/belay"))) {
            if (Sandboxes.root()) {
                Files.setAttribute(one, "unix:uid", Sandboxes.NOBODY);
            }
        }
        try (Sessions sessions = Sessions.builder(Sandboxes.host(workspace))
                .state(state)
                .environment(new Environment(Map.of("PATH", ProgramLookup.DEFAULT_PATH)))
                .isolation(Isolation.SANDBOX)
                .build()) {
            Files.writeString(state.resolve("token"), SECRET);
            run(sessions, "mv var away; mv var/belay away; mv var/belay/state away");
            assertThat(run(sessions, "find . -name token; cat var/belay/state/token away/*/token away/token"))
                    .doesNotContain(SECRET).doesNotContain("/token\n");
            assertThat(state.resolve("token")).exists();
        }
    }

    /// The worst moment: everything has been checked, and bubblewrap is about to start.
    @Test
    void aNameThatIsSwappedWhileASandboxIsSetUpShowsNothing() throws Exception {
        Files.createDirectories(workspace.resolve("kept"));
        Isolation isolation = Isolation.SANDBOX.protectedPaths(List.of("kept", ".idea"));
        for (String name : List.of("kept", ".idea")) {
            try (Sessions sessions = sessions(isolation, Rooms.BUBBLEWRAP)) {
                run(sessions, "true");
                Path moved = folder.resolve("moved");
                SessionException refusal;
                try (Injector _ = Injector.of(Set.of(), (site, _) -> {
                    if (site.call().equals("spawn")) {
                        swap(workspace.resolve(name), moved);
                    }
                    return 0;
                })) {
                    refusal = catchThrowableOfType(
                            SessionException.class, () -> run(sessions, "cat " + name + "/secret"));
                }
                assertThat(refusal).as(name).isNotNull().hasMessageContaining("changed while");
                assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                Files.delete(workspace.resolve(name));
                Files.move(moved, workspace.resolve(name));
                assertThat(run(sessions, "ls " + name)).isEmpty();
            }
        }
    }

    private static void swap(Path name, Path moved) {
        try {
            Files.move(name, moved);
            Files.createSymbolicLink(name, Path.of("../outside"));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /// As root, Belay would otherwise delete what somebody else owns.
    @Test
    void anOwnFolderThatIsSwappedForALinkIsNotEmptiedThroughIt() throws Exception {
        OwnFolder own = new OwnFolder(null);
        Path moved = folder.resolve("moved");
        Files.move(own.path(), moved);
        Files.writeString(moved.resolve("left"), "");
        Files.createSymbolicLink(own.path(), outside);
        own.close();
        assertThat(outside.resolve("secret")).exists();
        assertThat(moved.resolve("left")).doesNotExist();
        Files.delete(own.path());
    }

    @Test
    void theFoldersAboveAReadablePathCannotBeRenamed() throws Exception {
        Files.createDirectories(workspace.resolve("a/b"));
        if (Sandboxes.root()) {
            Files.setAttribute(workspace.resolve("a"), "unix:uid", Sandboxes.NOBODY);
        }
        try (Sessions sessions = sessions(
                Isolation.SANDBOX.readable(List.of(workspace.resolve("a/b"))), Rooms.BUBBLEWRAP)) {
            assertThat(run(sessions, "mv a a2; mkdir -p a/b; echo evil > a/b/f; echo > a/fine")).contains("busy");
        }
        assertThat(workspace.resolve("a/b/f")).doesNotExist();
        assertThat(workspace.resolve("a/fine")).exists();
    }
}
