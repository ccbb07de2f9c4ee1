package dev.belay.cli;

import dev.belay.Environment;
import dev.belay.Limits;
import dev.belay.Quoted;
import dev.belay.StateFolder;
import dev.belay.agent.AgentTools;
import dev.belay.agent.Surroundings;
import dev.belay.cli.config.Config;
import dev.belay.mcp.Bridge;
import dev.belay.mcp.Conversation;
import dev.belay.mcp.StdioServer;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `belay mcp`: the agent tools for a client that started Belay, over standard input and output.
@Command(name = "mcp", sortOptions = false)
final class McpCommand implements Callable<Integer> {
    @Option(names = "--workspace", paramLabel = "DIR", description = Help.WORKSPACE)
    private @Nullable Path workspace;

    @Option(names = "--config", paramLabel = "FILE", description = Help.CONFIG)
    private @Nullable Path config;

    @Option(names = "--standalone", description = Help.STANDALONE)
    private boolean standalone;

    @Option(names = "--server", paramLabel = "URL", description = Help.SERVER)
    private @Nullable String server;

    @Option(names = "--token-file", paramLabel = "FILE", description = Help.TOKEN_FILE)
    private @Nullable Path tokenFile;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = Help.HELP)
    @SuppressWarnings("UnusedVariable")
    private boolean help;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec model;

    @Override
    public Integer call() throws IOException {
        // Nothing but the protocol may reach the client, whatever a library prints.
        System.setOut(System.err);
        String url = standalone ? null : server != null ? server : System.getenv("BELAY_SERVER");
        if (url == null) {
            serveHere();
        } else {
            passOn(ServerAddress.of(url));
        }
        return 0;
    }

    /// To a server that people watch: it has the sessions, and the workspace.
    private void passOn(ServerAddress there) throws IOException {
        if (workspace != null || config != null) {
            throw new ParameterException(
                    model.commandLine(), "--workspace and --config are settings of the server, where it is started");
        }
        Map<String, String> env = System.getenv();
        String token = there.token(tokenFile, env, StateFolder.standard(env));
        stdio().run(new Bridge(there.at("/mcp"), token));
    }

    private static StdioServer stdio() {
        return new StdioServer(new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out));
    }

    private void serveHere() throws IOException {
        Map<String, String> caller = RunCommand.callersEnvironment();
        Config settings = Config.read(config, caller).requireKept();
        Surroundings place = place(caller);
        Limits limits = settings.limits().maxSessions(settings.agent().maxSessions());
        System.err.println("belay: workspace " + place.workspace() + ": " + place.why());
        try (Scratch scratch = Scratch.open(
                place.workspace(), Environment.inherited(caller).with(settings.env()), limits,
                settings.resources())) {
            AgentTools tools = new AgentTools(scratch.sessions(), settings.agent());
            stdio().run(new Conversation(tools, place.workspace(), BelayCommand.version()));
        }
    }

    private Surroundings place(Map<String, String> caller) throws IOException {
        Surroundings place = workspace != null
                ? new Surroundings(workspace, "as --workspace says")
                : Surroundings.look(caller, Path.of("/proc/self/cwd"));
        if (!Files.isDirectory(place.workspace())) {
            throw new ParameterException(
                    model.commandLine(),
                    "--workspace " + Quoted.of(place.workspace().toString()) + ": there is no such folder");
        }
        return new Surroundings(place.workspace().toRealPath(), place.why());
    }
}
