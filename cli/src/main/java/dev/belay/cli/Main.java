package dev.belay.cli;

import dev.belay.SessionException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// The command `belay`: finds the subcommand, and turns every failure into one clear line and an exit code.
public final class Main {
    private static final boolean DEBUG = "1".equals(System.getenv("BELAY_DEBUG"));

    private Main() {}

    public static void main(String[] args) {
        System.exit(run(args));
    }

    private static int run(String[] args) {
        try {
            return commandLine(args).execute(args);
        } catch (RuntimeException | Error e) {
            return failed(e);
        }
    }

    /// The model of the command line: of one subcommand alone where it is named first, since the others would only
    /// cost time.
    private static CommandLine commandLine(String[] args) {
        CommandLine all = new CommandLine(new BelayCommand()).addSubcommand(runCommand());
        Help.ofBelay(all.getCommandSpec().usageMessage());
        if (args.length == 0 || !args[0].equals("run")) {
            all.addSubcommand(serveCommand())
                    .addSubcommand(mcpCommand())
                    .addSubcommand(doctorCommand())
                    .addSubcommand(helpCommand());
        }
        return all.setExpandAtFiles(false)
                .setColorScheme(CommandLine.Help.defaultColorScheme(Stdio.coloured() ? Ansi.ON : Ansi.OFF))
                .setParameterExceptionHandler((e, _) -> misused(e))
                .setExecutionExceptionHandler((e, _, _) -> failed(e));
    }

    /// What follows the command that is to be run belongs to that command.
    private static CommandLine runCommand() {
        CommandLine run = new CommandLine(new RunCommand()).setStopAtPositional(true);
        Help.ofRun(run.getCommandSpec().usageMessage());
        return run;
    }

    private static CommandLine mcpCommand() {
        CommandLine mcp = new CommandLine(new McpCommand());
        Help.ofMcp(mcp.getCommandSpec().usageMessage());
        return mcp;
    }

    private static CommandLine serveCommand() {
        CommandLine serve = new CommandLine(new ServeCommand());
        Help.ofServe(serve.getCommandSpec().usageMessage());
        return serve;
    }

    private static CommandLine doctorCommand() {
        CommandLine doctor = new CommandLine(new DoctorCommand());
        Help.ofDoctor(doctor.getCommandSpec().usageMessage());
        return doctor;
    }

    private static CommandLine helpCommand() {
        CommandLine help = new CommandLine(new HelpCommand());
        help.getCommandSpec().usageMessage().header("Show the help of a command.");
        return help;
    }

    /// Says what is wrong with the arguments and where to find help.
    private static int misused(ParameterException e) {
        if (DEBUG) {
            e.printStackTrace();
        }
        CommandLine command = e.getCommandLine();
        PrintStream err = System.err;
        if (e instanceof UnmatchedArgumentException unmatched) {
            String word = unmatched.getUnmatched().getFirst();
            boolean option = unmatched.isUnknownOption();
            err.println("belay: there is no " + (option ? "option" : "command") + " '" + word + "'"
                    + alternatives(unmatched.getSuggestions()));
        } else {
            err.println("belay: " + e.getMessage());
        }
        err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        return ExitCodes.BELAY_FAILED;
    }

    private static String alternatives(List<String> suggestions) {
        List<String> close = new ArrayList<>();
        for (String suggestion : suggestions) {
            close.add("'" + suggestion + "'");
        }
        return close.isEmpty() ? "." : ". Did you mean " + String.join(" or ", close) + "?";
    }

    /// Says what went wrong, without a stack trace unless `BELAY_DEBUG=1`.
    static int failed(Throwable e) {
        Throwable cause = e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
        if (DEBUG) {
            cause.printStackTrace();
        }
        if (cause instanceof SessionException refused) {
            System.err.println("belay: " + refused.getMessage());
            return ExitCodes.of(refused);
        }
        System.err.println("belay: an error of Belay itself: " + cause + (DEBUG ? "" : " (BELAY_DEBUG=1 shows where)"));
        return ExitCodes.BELAY_FAILED;
    }
}
