package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Environment;
import dev.belay.Isolation;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.testkit.LeakCheck;
import dev.belay.testkit.Rig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// What a session changed and somebody runs later is listed when it has ended.
@ExtendWith(LeakCheck.class)
@Timeout(300)
class ChangesTest {
    @TempDir
    Path folder = Path.of("");

    private Path workspace = Path.of("");

    @BeforeEach
    void makeWorkspace() throws Exception {
        folder = folder.toRealPath();
        workspace = Files.createDirectories(folder.resolve("workspace"));
        Sandboxes.host(workspace).close();
        outside("mkdir -p .github/workflows packages/a nested; echo 1 > Makefile; echo 1 > package.json; echo 1 >"
                + " packages/a/package.json; echo 1 > .github/workflows/ci.yml; echo 1 > main.c; git init -q nested;"
                + " git init -q; git add .github packages Makefile package.json main.c; git -c user.name=a"
                + " -c user.email=a@b commit -qm 1");
    }

    private void outside(String script) throws Exception {
        List<String> command = new ArrayList<>();
        if (Sandboxes.root()) {
            command.addAll(List.of("setpriv", "--reuid=" + Sandboxes.NOBODY, "--regid=" + Sandboxes.NOBODY,
                    "--clear-groups"));
        }
        command.addAll(List.of("sh", "-c", script));
        ProcessBuilder builder = new ProcessBuilder(command).directory(workspace.toFile()).redirectErrorStream(true);
        builder.environment().put("HOME", folder.toString());
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    private List<String> changedBy(String script) throws InterruptedException {
        try (Sessions sessions = Sessions.builder(Sandboxes.host(workspace))
                .state(folder.resolve("state"))
                .environment(new Environment(Map.of("PATH", ProgramLookup.DEFAULT_PATH, "HOME", "/home/somebody")))
                .isolation(Isolation.SANDBOX)
                .build()) {
            Session session = sessions.open(SessionSpec.of("/bin/sh", "-c", script).pipe());
            assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
            session.close();
            return Objects.requireNonNull(session.snapshot().guard()).changed();
        }
    }

    @Test
    void whatIsRunLaterAndWasChangedIsListed() throws Exception {
        assertThat(changedBy("echo 2 >> Makefile; echo 2 > packages/a/package.json; echo 2 >"
                + " .github/workflows/new.yml;"
                + " echo 2 > build.sh; echo 2 >> main.c; git init -q other; git init -q --bare bare"))
                .containsExactly(".github/workflows/new.yml", "Makefile", "bare", "build.sh", "other/.git",
                        "packages/a/package.json");
    }

    @Test
    void whatWasOnlyReadIsNotListed() throws Exception {
        assertThat(changedBy("cat Makefile package.json; git status; git log; echo 2 > main.c; git commit -qam 2"))
                .isEmpty();
    }

    @Test
    void theTimesOfAFileCannotBeForged() throws Exception {
        assertThat(changedBy("touch -r Makefile x; printf 2 > y; cat y > Makefile; truncate -s 2 Makefile; touch -r x"
                + " Makefile")).containsExactly("Makefile");
    }

    @Test
    void settingsOfANestedRepositoryAndPlantedStepsAreListed() throws Exception {
        assertThat(changedBy("git -C nested config core.fsmonitor evil; mkdir .git/rebase-merge; echo 'exec evil' >"
                + " .git/rebase-merge/git-rebase-todo; git rm -q --cached packages/a/package.json; echo 3 >"
                + " packages/a/package.json"))
                .containsExactly(".git/rebase-merge/git-rebase-todo", "nested/.git", "packages/a/package.json");
    }

    @Test
    void namesOfAllFormsOfTheIndexAreRead() throws Exception {
        for (String version : List.of("2", "3", "4")) {
            outside("git update-index --index-version " + version + "");
            assertThat(changedBy("echo " + version + " >> packages/a/package.json")).as(version)
                    .containsExactly("packages/a/package.json");
        }
        byte[] index = Files.readAllBytes(workspace.resolve(".git/index"));
        for (int length = 0; length < index.length; length++) {
            assertThat(GitIndex.names(java.util.Arrays.copyOf(index, length), 20, 100, (_, _) -> true))
                    .hasSizeLessThan(20);
        }
    }
}
