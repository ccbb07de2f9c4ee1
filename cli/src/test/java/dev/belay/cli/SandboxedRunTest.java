package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Sandboxes of the shipped command: what it prints, and what it refuses in words.
class SandboxedRunTest extends WithBelay {
    private static final int NOBODY = 65_534;

    private Path workspace = Path.of("");

    @BeforeEach
    void makeWorkspace() throws Exception {
        workspace = Files.createDirectories(folder.toRealPath().resolve("project"));
        for (Path above = workspace; above.getNameCount() > 1; above = above.getParent()) {
            if (Files.isWritable(above) && !above.equals(Path.of("/tmp"))) {
                Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        }
        if (root()) {
            Files.setAttribute(workspace, "unix:uid", NOBODY);
        }
    }

    private static boolean root() {
        return "root".equals(System.getProperty("user.name"));
    }

    private Belay.Outcome sandboxed(String script) throws Exception {
        List<String> words = new ArrayList<>(List.of("run", "--sandbox", "--pipe", "--workdir", workspace.toString()));
        if (root()) {
            words.add("--run-as=" + NOBODY);
        }
        words.addAll(List.of("--", "sh", "-c", script));
        return belay.run(words.toArray(String[]::new));
    }

    @Test
    void whatIsRunLaterIsNamedAtTheEndAndProtectedNamesInTheErrors() throws Exception {
        Belay.Outcome outcome = sandboxed("echo all: > Makefile; echo x > .vscode/tasks.json; echo x >"
                + " .git/HEAD; true");
        assertThat(outcome.code()).isZero();
        assertThat(outcome.err()).contains("cannot create .vscode/tasks.json: Permission denied")
                .endsWith("belay: the command changed files that are run outside of the sandbox later; review them"
                        + " first: 'Makefile'\n");
        try (var left = Files.list(workspace)) {
            assertThat(left).containsExactly(workspace.resolve("Makefile"));
        }
    }

    @Test
    void aPlantedLinkIsRefusedInWords() throws Exception {
        Files.createSymbolicLink(workspace.resolve(".idea"), Path.of("/etc"));
        Belay.Outcome outcome = sandboxed("cat .idea/passwd");
        assertThat(outcome.code()).isEqualTo(125);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).contains(".idea").contains("/etc").contains("Remove the link")
                .doesNotContain("bwrap").doesNotContain("Exception");
    }

    /// With the settings in the workspace, one line written to them and a reload switched the sandbox off.
    @Test
    void aSessionCannotChangeTheSettingsThatKeepIt() throws Exception {
        Path settings = Files.writeString(workspace.resolve("belay.toml"), "[isolation]\ntier = \"sandbox\"\n"
                + "protected = []\n" + (root() ? "run_as = \"" + NOBODY + "\"\n" : ""));
        if (root()) {
            Files.setAttribute(settings, "unix:uid", NOBODY);
        }
        String before = Files.readString(settings);
        try (RunningServer server = new RunningServer(
                belay, "--workspace", workspace.toString(), "--config", settings.toString())) {
            String opened = server.call("POST", "api/sessions", server.token(),
                    "{\"id\": \"s\", \"cmd\": \"echo > belay.toml; mv belay.toml x; rm"
                            + " belay.toml;"
                            + " ln -sf x belay.toml; echo done\"}");
            assertThat(opened).contains("\"sandbox\"");
            assertThat(server.call("POST", "api/sessions/s/wait", server.token(), "{\"exit\":"
                    + " true}")).contains("exit");
            assertThat(server.call("GET", "api/sessions/s/output", server.token(), ""))
                    .contains("Read-only file system");
            assertThat(settings).hasContent(before);
            server.process.destroy();
            assertThat(server.process.waitFor(Belay.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }
}
