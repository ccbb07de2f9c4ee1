package dev.belay.cli;

import dev.belay.Quoted;
import dev.belay.SessionException;
import dev.belay.StateFolder;
import dev.belay.agent.WorkspaceChoice;
import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.args.UsageException;
import dev.belay.cli.config.Config;
import dev.belay.linux.OwnTerminal;
import dev.belay.mcp.Bridge;
import dev.belay.mcp.Conversation;
import dev.belay.mcp.Results;
import dev.belay.mcp.StdioServer;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Scanner;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// `belay mcp`: serves the agent tools over standard input and output to the client that started it.
final class McpCommand implements Command {
    private static final int STDIN = 0;
    private static final String ABOUT = """
            Speaks the Model Context Protocol on standard input and output. The agent's
            client starts this command: --install sets yours up, --check tries it, and
            docs/agents.md explains. When the client exits, its sessions and all their
            processes end, unless they run on a server.""";

    private static final String MORE = """
            @|bold Workspace:|@
              Commands start in the workspace or a folder below it. The workspace is
              --workspace, or the root that the client names, or the project of Claude
              Code (CLAUDE_PROJECT_DIR), or the current folder.

            @|bold Server:|@
              If your own server runs on this machine and the folder lies inside its
              workspace, the sessions run there: people can watch them, and they stay
              when the client exits. --standalone keeps them here.

            @|bold Environment:|@
              Commands inherit your environment, except variables that look secret:
              names that contain TOKEN, SECRET, PASSWORD or API_KEY, and BELAY_*. A
              sandbox inherits only PATH, HOME, LANG, TERM and a few more. To pass others,
              name them in [env] pass of the settings.

            @|bold Examples:|@
              belay mcp --check
              belay mcp --install claude
              belay mcp --workspace ~/project
              belay mcp --server http://127.0.0.1:10000/""";

    @Override
    public Syntax syntax() {
        return Syntax.of("mcp", "Give an AI agent tools to run commands (MCP).", "belay mcp [OPTION...]")
                .description(ABOUT)
                .value("--workspace", "DIR", ServeCommand.WORKSPACE)
                .value("--config", "FILE", ServeCommand.CONFIG)
                .flag("--standalone", "Run the sessions in this process, even if your server is running.")
                .value("--server", "URL", "Run the sessions on the server at URL, where people can watch them.")
                .value("--token-file", "FILE", ServerOptions.TOKEN_FILE)
                .value("--results", "FORM", "What answers carry: text (default, for models), structured or both.",
                        "text", "structured", "both")
                .flag("--check", "Try it as a client would, and print what the client will see.")
                .value("--install", "CLIENT", "Show the entry for a client, ask, and write it to its settings.",
                        "claude", "codex", "cursor", "vscode", "gemini", "zed")
                .flag("--yes", "With --install: do not ask.")
                .footer(MORE);
    }

    @Override
    public int run(Arguments given) throws IOException, InterruptedException {
        String client = given.text("--install");
        if (client != null) {
            return install(AgentClient.of(client), given.flag("--yes"));
        }
        if (given.flag("--check")) {
            return new McpCheck(tried(given), System.out).run();
        }
        // Only the protocol may reach the client, even if a library prints something.
        System.setOut(System.err);
        String server = given.text("--server");
        String url = given.flag("--standalone") ? null : server != null ? server : System.getenv("BELAY_SERVER");
        if (url != null) {
            passOn(ServerAddress.of(url), given);
        } else if (given.flag("--standalone") || given.flag("--config") || !join(given)) {
            serveHere(given);
        }
        return 0;
    }

    private static int install(AgentClient client, boolean yes) throws IOException {
        String launcher = System.getProperty("belay.launcher");
        if (!yes && !OwnTerminal.isTerminal(STDIN)) {
            throw new UsageException("--install asks before it writes, and there is no terminal; add --yes");
        }
        Path home = Path.of(System.getProperty("user.home"));
        return new McpInstall(client, client.file(home), launcher == null ? "belay" : launcher, System.out, () -> {
            if (yes) {
                return true;
            }
            System.out.print("Write this? [y/N] ");
            System.out.flush();
            Scanner answer = new Scanner(System.in, Charset.defaultCharset());
            return answer.hasNextLine() && answer.nextLine().strip().toLowerCase(Locale.ROOT).startsWith("y");
        }).run();
    }

    /// The options that a check passes on.
    private static List<String> tried(Arguments given) {
        List<String> options = new ArrayList<>(given.flag("--standalone") ? List.of("--standalone") : List.of());
        for (String name : List.of("--workspace", "--config", "--server", "--token-file", "--results")) {
            String value = given.text(name);
            if (value != null) {
                options.addAll(List.of(name, value));
            }
        }
        return options;
    }

    /// Runs the sessions on this user's own server, if it is running and the folder lies inside its workspace.
    private static boolean join(Arguments given) throws IOException {
        Map<String, String> env = System.getenv();
        Path state = StateFolder.standard(env);
        String address = new AddressFile(state).known().orElse(null);
        if (address == null || !ServerAddress.of(address).answers()) {
            return false;
        }
        Path folder = place(given.path("--workspace"), RunCommand.callersEnvironment()).workspace();
        ServerAddress there = ServerAddress.of(address);
        String why;
        try {
            String token = there.token(given.path("--token-file"), env, state);
            RestClient server = new RestClient(there, token);
            Path theirs = Path.of(server.get("/api/health").path("workspace").asString("/dev/null"));
            if (folder.startsWith(theirs)) {
                System.err.println("belay: sessions run on your server " + address + ", in " + folder);
                String inside = theirs.relativize(folder).toString();
                bridge(there, token, given, inside.isEmpty() ? "." : inside);
                return true;
            }
            why = folder + " is not inside its workspace " + theirs;
        } catch (SessionException e) {
            why = String.valueOf(e.getMessage());
        }
        System.err.println("belay: running standalone, not on your server " + address + ": " + why);
        return false;
    }

    private static void bridge(ServerAddress there, String token, Arguments given, String folder) throws IOException {
        String results = given.text("--results");
        // A conversation lasts as long as this process, whatever the protocol's revision knows of one.
        String query = "?conversation=" + UUID.randomUUID() + "&workdir="
                + URLEncoder.encode(folder, StandardCharsets.UTF_8)
                + (results == null ? "" : "&results=" + Results.of(results).word());
        stdio().run(new Bridge(there.at("/mcp" + query), token));
    }

    /// Forwards everything to a server, which has the sessions and the workspace.
    private static void passOn(ServerAddress there, Arguments given) throws IOException {
        if (given.flag("--workspace") || given.flag("--config")) {
            throw new UsageException(
                    "--workspace and --config are settings of the server; set them where you start it");
        }
        Map<String, String> env = System.getenv();
        String token = there.token(given.path("--token-file"), env, StateFolder.standard(env));
        bridge(there, token, given, ".");
    }

    private static StdioServer stdio() {
        return new StdioServer(new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out));
    }

    private static void serveHere(Arguments given) throws IOException {
        Map<String, String> caller = RunCommand.callersEnvironment();
        Config settings = Config.read(given.path("--config"), caller).requireKept();
        String results = given.text("--results");
        Results form = results == null ? settings.results() : Results.of(results);
        Path workspace = given.path("--workspace");
        WorkspaceChoice place = place(workspace, caller);
        Optional<Path> file = Config.file(given.path("--config"), caller);
        try (LocalTools tools = new LocalTools(settings, file, caller, place, workspace != null)) {
            stdio().run(new Conversation(tools, () -> form, Version.read().number()));
        }
    }

    private static WorkspaceChoice place(@Nullable Path workspace, Map<String, String> caller) throws IOException {
        WorkspaceChoice place = workspace != null
                ? new WorkspaceChoice(workspace, "set by --workspace")
                : WorkspaceChoice.look(caller, Path.of("/proc/self/cwd"));
        if (!Files.isDirectory(place.workspace())) {
            throw new UsageException("--workspace " + Quoted.of(place.workspace().toString()) + ": no such folder");
        }
        return new WorkspaceChoice(place.workspace().toRealPath(), place.why());
    }
}
