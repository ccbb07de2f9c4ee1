package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateFolderTest {
    @TempDir
    Path folder;

    @BeforeEach
    void makeTheFolder() throws IOException {
        PrivateFolder.make(sessions()).close();
    }

    private Path sessions() {
        return folder.resolve("state").resolve("sessions");
    }

    private StateFolder open() {
        return StateFolder.open(folder.resolve("state"));
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void foldersAreTheOwnersAloneAndSoAreFiles() throws Exception {
        try (StateFolder state = open()) {
            assertThat(mode(folder.resolve("state"))).isEqualTo("rwx------");
            assertThat(mode(sessions())).isEqualTo("rwx------");
            assertThat(mode(state.folder())).isEqualTo("rwx------");
            assertThat(mode(sessions().resolve(state.instance() + ".lock"))).isEqualTo("rw-------");
        }
    }

    @Test
    void closingLeavesNothing() throws Exception {
        StateFolder state = open();
        Files.writeString(state.folder().resolve("a.0.log"), "x");
        state.close();
        assertThat(Folders.files(sessions())).isEmpty();
        assertThat(Folders.descriptors(folder)).isZero();
    }

    @Test
    void everyInstanceHasItsOwnFolder() throws Exception {
        try (StateFolder first = open();
                StateFolder second = open()) {
            assertThat(first.instance()).isNotEqualTo(second.instance()).matches("[0-9a-f]{16}");
            assertThat(first.folder()).isDirectory();
            assertThat(second.folder()).isDirectory();
        }
    }

    @Test
    void whatADeadInstanceLeftIsSwept() throws Exception {
        Path stale = Files.createDirectories(sessions().resolve("0123456789abcdef"));
        Files.writeString(stale.resolve("a.0.log"), "x");
        Files.writeString(sessions().resolve("0123456789abcdef.lock"), "");
        Path unlocked = Files.createDirectories(sessions().resolve("fedcba9876543210"));
        try (StateFolder state = open()) {
            assertThat(stale).doesNotExist();
            assertThat(unlocked).doesNotExist();
            assertThat(Folders.files(sessions())).containsExactlyInAnyOrder(
                    state.folder(), sessions().resolve(state.instance() + ".lock"));
        }
    }

    @Test
    void whatADeadInstanceLeftStaysKnownUntilItsProcessesAreEnded() throws Exception {
        Path stale = Files.createDirectories(sessions().resolve("0123456789abcdef"));
        StateFolder.open(folder.resolve("state"), killed -> {
            assertThat(killed).containsExactly("0123456789abcdef");
            throw new SessionException(ErrorCode.UNAVAILABLE, "no descriptors to look for them");
        }).close();
        assertThat(stale).exists();
        List<String> told = new ArrayList<>();
        StateFolder.open(folder.resolve("state"), killed -> {
            assertThat(stale).as("what they are known by").exists();
            told.addAll(killed);
        }).close();
        assertThat(told).containsExactly("0123456789abcdef");
        assertThat(stale).doesNotExist();
    }

    @Test
    void whatCannotBeSweptDoesNotStopTheStart() throws Exception {
        Path stale = Files.createDirectories(sessions().resolve("0123456789abcdef").resolve("sub"));
        Files.writeString(stale.resolve("file"), "x");
        try (StateFolder state = open()) {
            assertThat(state.folder()).isDirectory();
        }
    }

    /// As somebody may have planted it while the state folder was open to others.
    @Test
    void onlyFoldersOfInstancesAreSwept() throws Exception {
        Path mine = Files.createDirectories(folder.resolve("mine"));
        Files.writeString(mine.resolve("letter"), "x");
        Path notes = Files.createDirectories(sessions().resolve("notes"));
        Files.writeString(notes.resolve("letter"), "x");
        Files.createSymbolicLink(sessions().resolve("0123456789abcdef"), mine);
        StateFolder.open(folder.resolve("state"), killed -> assertThat(killed).isEmpty()).close();
        assertThat(mine.resolve("letter")).exists();
        assertThat(notes.resolve("letter")).exists();
        assertThat(StateFolder.instances(folder.resolve("state"))).isEqualTo(new StateFolder.Instances(0, 0));
    }

    @Test
    void aFolderForSessionsThatIsOpenToOthersIsRefusedWithTheFix() throws Exception {
        Files.setPosixFilePermissions(sessions(), PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatExceptionOfType(SessionException.class).isThrownBy(this::open)
                .withMessageEndingWith("chmod 700 '" + sessions() + "'");
    }

    @Test
    void aLivingInstanceIsNotSweptByOthersOfThisJvm() throws Exception {
        try (StateFolder state = open()) {
            Files.writeString(state.folder().resolve("a.0.log"), "x");
            open().close();
            open().close();
            assertThat(state.folder().resolve("a.0.log")).exists();
        }
    }

    @Test
    void aLivingInstanceIsNotSweptByAnotherProcess() throws Exception {
        try (StateFolder state = open()) {
            Files.writeString(state.folder().resolve("a.0.log"), "x");
            sweepElsewhere();
            assertThat(state.folder().resolve("a.0.log")).exists();
        }
    }

    @Test
    void aLivingInstanceIsNotSweptByAnotherProcessAlsoAfterThisJvmLookedAtIt() throws Exception {
        try (StateFolder state = open()) {
            Files.writeString(state.folder().resolve("a.0.log"), "x");
            // Closing any descriptor of a file releases all POSIX locks that the process has on it.
            open().close();
            sweepElsewhere();
            assertThat(state.folder().resolve("a.0.log")).exists();
        }
    }

    @Test
    void manyStartsAtOnceDoNotDisturbEachOther() throws Exception {
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 10; i++) {
                Path stale = Files.createDirectories(sessions().resolve("00000000000000a" + i));
                Files.writeString(stale.resolve("a.0.log"), "x");
            }
            List<Running<StateFolder>> starts = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                starts.add(Running.start(this::open));
            }
            List<StateFolder> states = new ArrayList<>();
            for (Running<StateFolder> start : starts) {
                states.add(start.result());
            }
            for (StateFolder state : states) {
                assertThat(state.folder()).isDirectory();
                state.close();
            }
            assertThat(Folders.files(sessions())).isEmpty();
        }
    }

    @Test
    void aFolderThatCannotBeUsedIsNamed() throws Exception {
        Files.delete(sessions());
        Files.delete(folder.resolve("state"));
        Files.writeString(folder.resolve("state"), "a file");
        assertThatExceptionOfType(SessionException.class).isThrownBy(this::open)
                .withMessageContaining(folder.resolve("state").toString())
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }

    @Test
    void theStandardFolderFollowsXdg() {
        Path home = Path.of(System.getProperty("user.home"), ".local", "state", "belay");
        assertThat(StateFolder.standard(Map.of("XDG_STATE_HOME", "/x"))).isEqualTo(Path.of("/x/belay"));
        assertThat(StateFolder.standard(Map.of())).isEqualTo(home);
        assertThat(StateFolder.standard(Map.of("XDG_STATE_HOME", ""))).isEqualTo(home);
        assertThat(StateFolder.standard(Map.of("XDG_STATE_HOME", "relative")))
                .as("a relative one is to be ignored, says the XDG specification")
                .isEqualTo(home);
    }

    /// Opens and closes a state folder in a JVM of its own.
    private void sweepElsewhere() throws Exception {
        Process other = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                root(StateFolder.class) + ":" + root(StateFolderTest.class),
                Elsewhere.class.getName(),
                folder.resolve("state").toString())
                .inheritIO()
                .start();
        assertThat(other.waitFor()).isZero();
    }

    private static Path root(Class<?> type) throws Exception {
        URI file = type.getResource(type.getSimpleName() + ".class").toURI();
        return Path.of(file).getParent().getParent().getParent();
    }

    static final class Elsewhere {
        private Elsewhere() {}

        public static void main(String[] args) throws IOException {
            StateFolder.open(Path.of(args[0])).close();
        }
    }
}
