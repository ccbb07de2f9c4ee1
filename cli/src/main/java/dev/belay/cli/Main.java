package dev.belay.cli;

import dev.belay.SessionException;
import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Usage;
import dev.belay.cli.args.UsageException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The command `belay`: runs a subcommand, and turns every failure into one line and an exit code.
public final class Main {
    private static final boolean DEBUG = "1".equals(System.getenv("BELAY_DEBUG"));

    private Main() {}

    public static void main(String[] args) {
        // As in the shell: ~ is $HOME. Java takes the account's home folder.
        String home = System.getenv().getOrDefault("HOME", "");
        if (home.startsWith("/")) {
            System.setProperty("user.home", home);
        }
        int code = run(List.of(args));
        // Looks for a logger in every jar, which is a third of the CPU of a small command.
        if (code != 0 || othersRun()) {
            System.exit(code);
        }
    }

    /// Whether a thread would keep the JVM from ending when this one has.
    private static boolean othersRun() {
        ThreadGroup all = Thread.currentThread().getThreadGroup();
        while (all.getParent() != null) {
            all = all.getParent();
        }
        Thread[] threads = new Thread[all.activeCount() + 16];
        int count = all.enumerate(threads);
        return count == threads.length
                || Arrays.stream(threads, 0, count).filter(one -> !one.isDaemon()).count() > 1;
    }

    static int run(List<String> args) {
        @Nullable Command command = null;
        try {
            String first = args.isEmpty() ? "--help" : args.getFirst();
            switch (first) {
                case "-h", "--help" -> System.out.print(Commands.help(Stdio.coloured()));
                case "-V", "--version" -> System.out.print(Version.read().text());
                default -> {
                    command = Commands.find(first).orElseThrow(() -> HelpCommand.unknown(first));
                    return printed(run(command, args.subList(1, args.size())), command);
                }
            }
            return printed(0, null);
        } catch (UsageException e) {
            return misused(e, command);
        } catch (Output.NoReader _) {
            return ExitCodes.NO_READER;
        } catch (Exception | Error e) {
            return failed(e, command);
        }
    }

    private static int run(Command command, List<String> words) throws Exception {
        Arguments given = Arguments.parse(command.syntax(), words);
        if (given.flag("--help")) {
            System.out.print(Usage.of(command.syntax(), Stdio.coloured()));
            return 0;
        }
        return command.run(given);
    }

    /// The code, unless nobody reads what was printed. A server does not mind that: it prints its address only.
    private static int printed(int code, @Nullable Command command) {
        return isClient(command) && System.out.checkError() && code == 0 ? ExitCodes.NO_READER : code;
    }

    private static boolean isClient(@Nullable Command command) {
        return command == null || command.syntax().client();
    }

    /// Prints what is wrong with the arguments and where to find help.
    private static int misused(UsageException e, @Nullable Command command) {
        if (DEBUG) {
            e.printStackTrace();
        }
        System.err.println("belay: " + e.getMessage());
        System.err.println("Try 'belay " + (command == null ? "" : command.syntax().name() + " ") + "--help'.");
        return isClient(command) ? ExitCodes.CLIENT_MISUSED : ExitCodes.BELAY_FAILED;
    }

    /// Prints what went wrong; the stack trace only with `BELAY_DEBUG=1`.
    private static int failed(Throwable e, @Nullable Command command) {
        if (DEBUG) {
            e.printStackTrace();
        }
        if (e instanceof SessionException refused) {
            System.err.println("belay: " + refused.getMessage());
            return isClient(command) ? ExitCodes.ofClient(refused) : ExitCodes.of(refused);
        }
        System.err.println("belay: internal error: " + e + (DEBUG ? "" : " (set BELAY_DEBUG=1 for a stack trace)"));
        return isClient(command) ? ExitCodes.CLIENT_FAILED : ExitCodes.BELAY_FAILED;
    }
}
