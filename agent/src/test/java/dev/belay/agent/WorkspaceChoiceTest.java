package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Where Belay finds itself, and which shell it finds.
class WorkspaceChoiceTest {
    @TempDir
    Path folder = Path.of("");

    private final Path current = Path.of("/somewhere");

    @Test
    void withoutAnAgentAroundItIsTheCurrentFolder() {
        assertThat(WorkspaceChoice.look(Map.of(), current))
                .isEqualTo(new WorkspaceChoice(current, "the current folder"));
        assertThat(WorkspaceChoice.look(Map.of("CLAUDECODE", ""), current).why()).isEqualTo("the current folder");
    }

    @Test
    void theProjectFolderOfClaudeCodeIsEnough() {
        assertThat(WorkspaceChoice.look(Map.of("CLAUDE_PROJECT_DIR", folder.toString()), current).workspace())
                .isEqualTo(folder);
    }

    @Test
    void insideClaudeCodeItIsTheProjectFolder() {
        for (String sign : new String[] {"CLAUDE_CODE", "CLAUDECODE"}) {
            WorkspaceChoice found =
                    WorkspaceChoice.look(Map.of(sign, "1", "CLAUDE_PROJECT_DIR", folder.toString()), current);
            assertThat(found.workspace()).isEqualTo(folder);
            assertThat(found.why()).contains("CLAUDE_PROJECT_DIR");
        }
    }

    @Test
    void aProjectFolderThatIsNoneIsNotBelieved() {
        for (String project : new String[] {"", folder.resolve("missing").toString(), "\0"}) {
            WorkspaceChoice found =
                    WorkspaceChoice.look(Map.of("CLAUDECODE", "1", "CLAUDE_PROJECT_DIR", project), current);
            assertThat(found.workspace()).isEqualTo(current);
            assertThat(found.why()).contains("Claude Code");
        }
    }

    @Test
    void otherAgentsProgramsAreNamed() {
        Map.of("GEMINI_CLI", "Gemini CLI", "CODEX_SANDBOX", "Codex", "CURSOR_TRACE_ID", "Cursor", "CURSOR_AGENT",
                "Cursor")
                .forEach((sign, name) -> assertThat(WorkspaceChoice.look(Map.of(sign, "1"), current))
                        .isEqualTo(
                                new WorkspaceChoice(current, "the current folder, where " + name + " started Belay")));
        assertThat(
                WorkspaceChoice.look(Map.of("CURSOR_TRACE_ID", "1", "CODEX_SANDBOX", "1", "GEMINI_CLI", "1"), current)
                        .why())
                .contains("Gemini CLI");
    }

    @Test
    void theShellIsTheUsersIfItIsOne() {
        assertThat(Shells.standard(Map.of("SHELL", "/bin/sh"))).isEqualTo("/bin/sh");
        for (String none : new String[] {"", "/missing/shell", "/usr/sbin/nologin", "/bin/false", "\0"}) {
            assertThat(Shells.standard(Map.of("SHELL", none))).isEqualTo("/bin/bash");
        }
        assertThat(Shells.standard(Map.of())).isEqualTo("/bin/bash");
        assertThat(Shells.command("/bin/sh", true, "ls")).containsExactly("/bin/sh", "-l", "-c", "ls");
        assertThat(Shells.command("/bin/sh", false, "ls")).containsExactly("/bin/sh", "-c", "ls");
    }
}
