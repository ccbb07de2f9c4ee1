package dev.belay.agent;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// The workspace that Belay chose, and why: it depends on which agent's program started it, and in which folder.
///
/// @param workspace the folder that sessions may work in
/// @param why       how it was chosen, in words
public record WorkspaceChoice(Path workspace, String why) {
    /// Variables that agents' programs set, the most specific first.
    private static final List<Map.Entry<String, String>> HOSTS = List.of(
            Map.entry("CLAUDE_CODE", "Claude Code"),
            Map.entry("CLAUDECODE", "Claude Code"),
            Map.entry("GEMINI_CLI", "Gemini CLI"),
            Map.entry("CODEX_SANDBOX", "Codex"),
            Map.entry("CURSOR_AGENT", "Cursor"),
            Map.entry("CURSOR_TRACE_ID", "Cursor"));

    /// Looks at the environment and the current folder.
    public static WorkspaceChoice look(Map<String, String> env, Path current) {
        String project = env.getOrDefault("CLAUDE_PROJECT_DIR", "");
        if (isFolder(project)) {
            return new WorkspaceChoice(Path.of(project), "the project folder of Claude Code (CLAUDE_PROJECT_DIR)");
        }
        return HOSTS.stream()
                .filter(host -> isSet(env, host.getKey()))
                .findFirst()
                .map(host -> new WorkspaceChoice(
                        current, "the current folder, where " + host.getValue() + " started Belay"))
                .orElse(new WorkspaceChoice(current, "the current folder"));
    }

    private static boolean isSet(Map<String, String> env, String name) {
        return !env.getOrDefault(name, "").isEmpty();
    }

    private static boolean isFolder(String path) {
        try {
            return !path.isEmpty() && Files.isDirectory(Path.of(path));
        } catch (InvalidPathException _) {
            return false;
        }
    }
}
