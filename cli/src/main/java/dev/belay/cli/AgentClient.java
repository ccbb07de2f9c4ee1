package dev.belay.cli;

import dev.belay.cli.args.UsageException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/// The clients that `belay mcp --install` knows: the file with their servers, and how an entry in it reads.
enum AgentClient {
    CLAUDE("Claude Code", ".mcp.json", "mcpServers", "", false),
    CODEX("Codex", "~/.codex/config.toml", "mcp_servers", "", false),
    CURSOR("Cursor", ".cursor/mcp.json", "mcpServers", "", true),
    VSCODE("VS Code", ".vscode/mcp.json", "servers", "\"type\": \"stdio\", ", true),
    GEMINI("Gemini CLI", "~/.gemini/settings.json", "mcpServers", "", false),
    ZED("Zed", "~/.config/zed/settings.json", "context_servers", "", false);

    private final String title;
    private final String file;
    private final String section;
    private final String first;
    private final boolean namesFolder;

    /// @param file        in the current folder, or in the home folder
    /// @param section     the object or table that holds the servers
    /// @param first       what an entry begins with
    /// @param namesFolder whether the client replaces `${workspaceFolder}`
    AgentClient(String title, String file, String section, String first, boolean namesFolder) {
        this.title = title;
        this.file = file;
        this.section = section;
        this.first = first;
        this.namesFolder = namesFolder;
    }

    static AgentClient of(String name) {
        return Arrays.stream(values())
                .filter(one -> one.word().equals(name.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new UsageException("--install: unknown client '" + name + "'; use one of "
                        + Arrays.stream(values()).map(AgentClient::word).collect(Collectors.joining(", "))
                        + ". docs/agents.md shows the entry for others"));
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    String title() {
        return title;
    }

    String section() {
        return section;
    }

    boolean isToml() {
        return file.endsWith(".toml");
    }

    Path file(Path home) {
        return file.startsWith("~/") ? home.resolve(file.substring(2)) : Path.of(file);
    }

    /// The entry of a command: an object, or the lines of a table.
    String entry(String command) {
        List<String> args = namesFolder ? List.of("mcp", "--workspace", "${workspaceFolder}") : List.of("mcp");
        JsonMapper json = JsonMapper.shared();
        String list = args.stream().map(json::writeValueAsString).collect(Collectors.joining(", ", "[", "]"));
        // A TOML string of these characters reads like one of JSON.
        String program = json.writeValueAsString(command);
        return isToml()
                ? "[" + section + ".belay]\ncommand = " + program + "\nargs = " + list + "\n"
                : "{" + first + "\"command\": " + program + ", \"args\": " + list + "}";
    }

    /// How a person who has no file yet would write it.
    String document(String command) {
        return isToml()
                ? entry(command)
                : "{\n  \"" + section + "\": {\n    \"belay\": " + entry(command) + "\n  }\n}\n";
    }

    /// What to do after the entry is written.
    String next() {
        return switch (this) {
            case CLAUDE -> "Start claude in this folder and approve the server; /mcp shows its state.";
            case CODEX -> "Start codex again; /mcp lists its tools.";
            case CURSOR -> "Enable belay in the settings of Cursor, under MCP.";
            case VSCODE -> "Start the server from the file, or with 'MCP: List Servers'.";
            case GEMINI -> "Start gemini again; /mcp lists its tools.";
            case ZED -> "The agent panel's settings show whether it runs.";
        };
    }
}
