package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrivateFolderTest {
    private static final int MAX = 100;

    @TempDir
    Path outside;

    private Path path;

    @BeforeEach
    void name() {
        path = outside.resolve("folder");
    }

    private static void mode(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void itIsMadeForItsOwnerAloneAndSoAreItsFiles() throws Exception {
        try (PrivateFolder folder = PrivateFolder.make(path.resolve("inner"))) {
            assertThat(mode(path.resolve("inner"))).isEqualTo("rwx------");
            assertThat(folder.read("a", MAX)).isEmpty();
            assertThat(folder.add("a", "one")).isTrue();
            assertThat(folder.add("a", "two")).as("it is there").isFalse();
            assertThat(folder.read("a", MAX)).contains("one");
            folder.replace("a", "three");
            assertThat(folder.read("a", MAX)).contains("three");
            assertThat(mode(path.resolve("inner/a"))).isEqualTo("rw-------");
            assertThat(Folders.files(path.resolve("inner"))).hasSize(1);
            folder.delete("a");
            folder.delete("a");
            assertThat(Folders.files(path.resolve("inner"))).isEmpty();
        }
        assertThat(Folders.descriptors(outside)).isZero();
        assertThatThrownBy(() -> PrivateFolder.open(outside.resolve("none"))).isInstanceOf(NoSuchFileException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxr-x---", "rwxrwx---", "rwx--x--x", "rwx----w-", "rwxr-xr-x", "rwxrwxrwx"})
    void aFolderThatIsOpenToOthersIsRefusedWithTheFix(String mode) throws Exception {
        Files.createDirectory(path);
        mode(path, mode);
        assertThatThrownBy(() -> PrivateFolder.make(path))
                .isInstanceOf(SessionException.class)
                .hasMessageContaining("is open to other users (" + mode + ")")
                .hasMessageEndingWith("chmod 700 '" + path + "'");
        assertThatThrownBy(() -> StateFolder.open(path)).hasMessageContaining("is open to other users");
        assertThat(Folders.files(path)).as("nothing was made in it").isEmpty();
        mode(path, "rwx------");
        PrivateFolder.make(path).close();
        assertThat(Folders.descriptors(outside)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw----r--", "rw--w----", "rw-rw-rw-"})
    void aFileThatIsOpenToOthersIsRefusedWithTheFix(String mode) throws Exception {
        try (PrivateFolder folder = PrivateFolder.make(path)) {
            Files.writeString(path.resolve("a"), "planted");
            mode(path.resolve("a"), mode);
            assertThatThrownBy(() -> folder.read("a", MAX))
                    .hasMessageContaining("The file " + path.resolve("a") + " is open to other users (" + mode + ")")
                    .hasMessageEndingWith("chmod 600 '" + path.resolve("a") + "'");
        }
    }

    @Test
    void whatBelongsToSomebodyElseIsRefused() throws Exception {
        // Root can give a folder away. Other users try a folder of root's.
        if (!Files.getOwner(outside).getName().equals("root")) {
            assertThatThrownBy(() -> PrivateFolder.make(Path.of("/usr"))).hasMessageContaining("belongs to root");
            return;
        }
        UserPrincipal other = outside.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("65534");
        try (PrivateFolder folder = PrivateFolder.make(path)) {
            folder.add("a", "planted");
            Files.setOwner(path.resolve("a"), other);
            assertThatThrownBy(() -> folder.read("a", MAX)).hasMessageContaining("belongs to ").hasMessageContaining(
                    "chown 0 '" + path.resolve("a") + "'");
        }
        Files.setOwner(path, other);
        assertThatThrownBy(() -> PrivateFolder.open(path)).hasMessageContaining("chown 0 '" + path + "'");
    }

    @Test
    void aLinkIsNotFollowedAndNothingButAFileIsRead() throws Exception {
        Path target = Files.writeString(outside.resolve("target"), "planted");
        mode(target, "rw-------");
        try (PrivateFolder folder = PrivateFolder.make(path)) {
            Files.createSymbolicLink(path.resolve("link"), target);
            Files.createDirectory(path.resolve("dir"));
            for (String name : List.of("link", "dir")) {
                assertThatThrownBy(() -> folder.read(name, MAX))
                        .hasMessageEndingWith("is not a plain file; delete it: rm '" + path.resolve(name) + "'");
            }
        }
    }

    @Test
    void theFolderThatWasOpenedIsUsedWhateverTakesItsName() throws Exception {
        try (PrivateFolder folder = PrivateFolder.make(path)) {
            folder.add("a", "mine");
            Files.move(path, outside.resolve("moved"));
            Files.createDirectory(path);
            Files.writeString(path.resolve("a"), "planted");
            assertThat(folder.read("a", MAX)).contains("mine");
            folder.replace("a", "mine too");
            assertThat(outside.resolve("moved/a")).hasContent("mine too");
            assertThat(path.resolve("a")).hasContent("planted");
        }
    }

    @Test
    void ofManyWhoAddAFileOneSucceedsAndAllReadItsText() throws Exception {
        try (PrivateFolder folder = PrivateFolder.make(path); var threads = Executors.newFixedThreadPool(8)) {
            List<Callable<Boolean>> adds = IntStream.range(0, 64)
                    .<Callable<Boolean>>mapToObj(i -> () -> folder.add("a", "text " + i))
                    .toList();
            int added = 0;
            for (Future<Boolean> add : threads.invokeAll(adds)) {
                added += add.get() ? 1 : 0;
            }
            assertThat(added).isOne();
            assertThat(folder.read("a", MAX).orElseThrow()).startsWith("text ");
            assertThat(Folders.files(path)).hasSize(1);
        }
    }
}
