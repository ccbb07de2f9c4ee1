package dev.belay.cli;

import dev.belay.cli.args.Command;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.args.Usage;
import java.util.List;
import java.util.Optional;

/// All commands, in the order of the help. A command's class is loaded only when it is asked for.
final class Commands {
    static final List<String> NAMES = List.of(
            "run", "ls", "top", "open", "read", "send", "wait", "attach", "resize", "signal", "close", "search",
            "approvals", "approve", "deny", "serve", "stop", "reload", "link", "token", "mcp", "doctor",
            "completion", "help");

    private static final String ABOUT = """
            Belay runs programs in terminal sessions. It loses no output and leaves no
            process behind.

            @|bold Usage:|@ belay COMMAND [OPTION...]

            @|bold Options:|@
              -h, --help            Show this help.
              -V, --version         Show the version.

            @|bold Commands:|@
            """;

    private static final String EXAMPLES = """

            @|bold Examples:|@
              belay run -- vim notes.txt     run a program in this terminal
              belay mcp                      give an AI agent terminals, over MCP
              belay serve                    serve sessions to programs and people
              belay doctor                   check this machine
              belay run --help               show all options of a command
            """;

    private Commands() {}

    static Optional<Command> find(String name) {
        return Optional.ofNullable(
                switch (name) {
                    case "run" -> new RunCommand();
                    case "ls" -> new LsCommand();
                    case "top" -> new TopCommand();
                    case "open" -> new OpenCommand();
                    case "read" -> new ReadCommand();
                    case "send" -> new SendCommand();
                    case "wait" -> new WaitCommand();
                    case "attach" -> new AttachCommand();
                    case "resize" -> new ResizeCommand();
                    case "signal" -> new SignalCommand();
                    case "close" -> new CloseCommand();
                    case "search" -> new SearchCommand();
                    case "approvals" -> new ApprovalsCommand();
                    case "approve" -> new AnswerCommand(true);
                    case "deny" -> new AnswerCommand(false);
                    case "stop" -> new StopCommand();
                    case "serve" -> new ServeCommand();
                    case "link" -> new LinkCommand();
                    case "reload" -> new ReloadCommand();
                    case "token" -> new TokenCommand();
                    case "mcp" -> new McpCommand();
                    case "doctor" -> new DoctorCommand();
                    case "completion" -> new CompletionCommand();
                    case "train" -> new TrainCommand();
                    case "help" -> new HelpCommand();
                    default -> null;
                });
    }

    /// Every command's syntax, for help, completion and man pages.
    static List<Syntax> all() {
        return NAMES.stream().map(name -> find(name).orElseThrow().syntax()).toList();
    }

    /// The help of `belay` itself.
    static String help(boolean coloured) {
        StringBuilder text = new StringBuilder(ABOUT);
        for (Syntax syntax : all()) {
            Usage.entry(text, "  " + syntax.name(), syntax.header());
        }
        return Usage.styled(text.append(EXAMPLES).toString(), coloured);
    }
}
