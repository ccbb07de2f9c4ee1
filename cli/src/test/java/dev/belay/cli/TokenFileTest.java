package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The admin's token as the server and its clients find it.
class TokenFileTest {
    private static final String PLANTED = "planted-planted-planted";
    private static final ServerAddress HERE = ServerAddress.of("http://127.0.0.1:1/");

    @TempDir
    Path folder;

    private Path state() {
        return folder.resolve("state");
    }

    private Path plant(String folderMode, String fileMode, String text) throws IOException {
        Files.createDirectory(state());
        Path token = Files.writeString(state().resolve("token"), text);
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString(fileMode));
        Files.setPosixFilePermissions(state(), PosixFilePermissions.fromString(folderMode));
        return token;
    }

    private String clients(Map<String, String> env) {
        return HERE.token(null, env, state());
    }

    @Test
    void theTokenIsMadeOnceAndKept() {
        assertThatThrownBy(() -> clients(Map.of())).hasMessageContaining("'belay serve'");
        String token = new TokenFile(state()).token();
        assertThat(token).matches("[A-Za-z0-9_-]{43}");
        assertThat(new TokenFile(state()).token()).isEqualTo(token);
        assertThat(clients(Map.of())).isEqualTo(token);
    }

    @ParameterizedTest
    @CsvSource({"rwxrwxrwx, rw-------, 700", "rwxr-xr-x, rw-------, 700", "rwx------, rw-r--r--, 600",
            "rwx------, rw--w----, 600"})
    void aTokenThatOthersMayHavePutThereIsRefusedByServerAndClient(String outer, String inner, String fix)
            throws Exception {
        plant(outer, inner, PLANTED);
        assertThatThrownBy(() -> new TokenFile(state()).token()).hasMessageContaining("chmod " + fix + " ");
        assertThatThrownBy(() -> clients(Map.of())).hasMessageContaining("chmod " + fix + " ");
    }

    @Test
    void aLinkIsNotTakenForAToken() throws Exception {
        Path token = plant("rwx------", "rw-------", PLANTED);
        Files.move(token, folder.resolve("elsewhere"));
        Files.createSymbolicLink(token, folder.resolve("elsewhere"));
        assertThatThrownBy(() -> new TokenFile(state()).token()).hasMessageContaining("is not a plain file");
        assertThatThrownBy(() -> clients(Map.of())).hasMessageContaining("is not a plain file");
    }

    @Test
    void anEmptyTokenIsReplacedByTheServerAndRefusedByClients() throws Exception {
        plant("rwx------", "rw-------", "\n");
        assertThatThrownBy(() -> clients(Map.of())).hasMessageContaining("is too short");
        String token = new TokenFile(state()).token();
        assertThat(token).hasSize(43);
        assertThat(clients(Map.of())).isEqualTo(token);
        assertThatThrownBy(() -> clients(Map.of("BELAY_TOKEN", "")))
                .hasMessageContaining("BELAY_TOKEN is set but empty");
        Path blank = Files.writeString(folder.resolve("blank"), " \n");
        assertThatThrownBy(() -> HERE.token(blank, Map.of(), state())).hasMessageContaining("is empty");
    }
}
