package dev.belay.cli;

import dev.belay.Environment;
import dev.belay.Isolation;
import dev.belay.Limits;
import dev.belay.Mode;
import dev.belay.Network;
import dev.belay.Quoted;
import dev.belay.Resources;
import dev.belay.SessionSpec;
import dev.belay.Size;
import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Parameter;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.args.UsageException;
import dev.belay.linux.LinuxHost;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// `belay run`: turns the arguments into a [SessionSpec] and has [ForegroundSession] run it.
final class RunCommand implements Command {
    private static final String ABOUT = """
            The command gets its own terminal, connected to yours. Full-screen programs,
            resizing, Ctrl-C and Ctrl-Z work as usual. When the command exits, Belay ends
            everything it left running, and exits with the command's exit code.""";

    private static final String MORE = """
            @|bold Redirection:|@
              You can redirect input and output. The command still sees a terminal:
              control characters such as Ctrl-C in the input take effect, and lines
              longer than 4095 bytes are cut. To pass data unchanged, use --pipe.

            @|bold Environment:|@
              The command inherits your environment, except variables that look secret:
              names that contain TOKEN, SECRET, PASSWORD or API_KEY, and BELAY_*. To pass
              one of these, name it: --env=GITHUB_TOKEN
              A sandbox inherits only PATH, HOME, LANG, TERM and a few more that hold no
              secrets. Name the others that it needs.

            @|bold Exit status:|@
              The command's exit status, or
              128+n  signal n ended the command (130: Ctrl-C)
              124    the command ran longer than --timeout
              125    Belay itself failed: a wrong option, no such folder, ...
              126    the command cannot be executed
              127    the command was not found

            @|bold Examples:|@
              belay run -- vim notes.txt
              belay run --timeout=10m --workdir=backend -- npm test
              belay run -- make test < /dev/null | less
              belay run --pipe -- tar cz src > src.tgz
              belay run --sandbox --network=github.com -- git fetch""";

    /// The log is small, because after Ctrl-C the part that was not yet shown still goes to the screen.
    private static final Limits LIMITS = Limits.DEFAULT.maxSessions(1).logBytes(256 << 10);

    @Override
    public Syntax syntax() {
        return Syntax.of("run", "Run a command in this terminal.", "belay run [OPTION...] [--] COMMAND [ARG...]")
                .withRest()
                .description(ABOUT)
                .with(new Parameter("COMMAND", "", 0, Integer.MAX_VALUE, List.of()))
                .value("--workdir", "DIR", "Start the command in this folder.")
                .value("--timeout", "TIME",
                        "End the command after this time: 90 (seconds), 1.5, 500ms, 30s, 5m, 1h30m.")
                .values("--env", "NAME[=VALUE]", "Set a variable, or pass on your own. May be repeated.")
                .value("--cpu", "TIME", "CPU time limit per process, in whole seconds.")
                .value("--memory", "SIZE", "Memory limit (address space) per process: 300000000, 512M, 4GiB.")
                .value("--file-size", "SIZE", "Size limit of files the command writes.")
                .value("--open-files", "N", "Open files limit per process.")
                .value("--processes", "N", "Limit on the number of processes of your user. Does not apply to root.")
                .flag("--sandbox", "Let the command see only the system's programs and the working folder, write only"
                        + " that folder, and use no network.")
                .flag("--read-only", "Let the sandbox write nothing.")
                .value("--network", "HOSTS",
                        "Let the sandbox reach these hosts: github.com,*.npmjs.org:443. 'on': the whole network.")
                .values("--readable", "PATH", "Show this file or folder in the sandbox. May be repeated.")
                .values("--writable", "PATH", "The same, and let the sandbox write it.")
                .flag("--unprotected", "Let the sandbox change .git/hooks and other paths that it protects by default.")
                .value("--by", "MECHANISM",
                        "What enforces the sandbox: bubblewrap (default), or landlock, which needs no"
                                + " user namespaces but enforces less.",
                        "bubblewrap", "landlock")
                .value("--run-as", "USER", "Run the sandbox as this user. Needed if you are root.")
                .flag("--pipe",
                        "Use pipes, not a terminal: bytes pass unchanged, stdout and stderr stay separate.")
                .footer(MORE);
    }

    @Override
    public int run(Arguments given) throws InterruptedException {
        List<String> command = given.words();
        if (command.isEmpty()) {
            throw new UsageException("no command given; name one, for example: belay run -- ls -l");
        }
        Map<String, String> caller = callersEnvironment();
        Map<String, String> asked = askedEnvironment(given.texts("--env"), caller);
        String folder = folder(given.text("--workdir"));
        Resources resources = new Resources(
                given.time("--cpu"),
                given.size("--memory"),
                given.size("--file-size"),
                given.number("--open-files"),
                given.number("--processes"),
                null,
                null);
        Isolation isolation = isolation(given);
        // A sandbox shows the working folder and nothing around it.
        Path workspace = Path.of(isolation.sandboxed() ? folder : "/");
        String runAs = given.text("--run-as");
        String by = given.text("--by");
        try (TemporarySessions scratch = TemporarySessions.open(
                () -> host(workspace, runAs, by), Environment.inherited(caller), LIMITS, resources, isolation)) {
            Stdio stdio = Stdio.look();
            SessionSpec spec = SessionSpec.of(command)
                    .workdir(folder)
                    .mode(mode(given.flag("--pipe"), stdio))
                    .env(terminalName(stdio, caller))
                    .env(asked)
                    .timeout(given.time("--timeout"))
                    .lossless(true);
            return new ForegroundSession(scratch, stdio, spec).run();
        }
    }

    private static LinuxHost host(Path workspace, @Nullable String runAs, @Nullable String by) {
        LinuxHost host = LinuxHost.inOwnProcess(workspace);
        if (by != null) {
            host.sandboxedBy(List.of(by));
        }
        return runAs == null ? host : host.runAs(runAs);
    }

    private static Isolation isolation(Arguments given) {
        String network = given.text("--network");
        if (!given.flag("--sandbox")) {
            if (given.flag("--read-only") || given.flag("--unprotected") || network != null
                    || given.text("--run-as") != null || given.text("--by") != null
                    || !given.texts("--readable").isEmpty() || !given.texts("--writable").isEmpty()) {
                throw new UsageException("--read-only, --network, --readable, --writable, --unprotected, --by and"
                        + " --run-as need --sandbox");
            }
            return Isolation.NONE;
        }
        Network reached = switch (network) {
            case null -> new Network.Off();
            case "off" -> new Network.Off();
            case "on" -> new Network.On();
            default -> new Network.Hosts(List.of(network.split(",", -1)));
        };
        return Isolation.SANDBOX
                .readOnly(given.flag("--read-only"))
                .network(reached)
                .readable(paths(given.texts("--readable")))
                .writable(paths(given.texts("--writable")))
                .protectedPaths(given.flag("--unprotected") ? List.of() : Isolation.PROTECTED);
    }

    private static List<Path> paths(List<String> texts) {
        return texts.stream().map(text -> Path.of(text).toAbsolutePath()).toList();
    }

    private static Mode mode(boolean pipe, Stdio stdio) {
        if (pipe) {
            return new Mode.Pipe();
        }
        Size size = stdio.size();
        return stdio.in() != null
                ? new Mode.Pty(size, true, stdio.out() != null)
                : new Mode.Pty(size, false, stdio.out() != null);
    }

    /// `TERM` of the session: the caller's, or `dumb` in a pipeline, where nothing interprets escape sequences.
    private static Map<String, String> terminalName(Stdio stdio, Map<String, String> caller) {
        String name = stdio.any() ? caller.getOrDefault("TERM", "") : "dumb";
        return name.isEmpty() ? Map.of() : Map.of("TERM", name);
    }

    /// The environment of the caller. Java misreads non-ASCII arguments in a locale without UTF-8, so the launcher may
    /// have changed `LC_ALL`; then `BELAY_LC_ALL` holds the value that it had before.
    static Map<String, String> callersEnvironment() {
        Map<String, String> caller = new HashMap<>(System.getenv());
        String before = caller.remove("BELAY_LC_ALL");
        if (before != null && before.isEmpty()) {
            caller.remove("LC_ALL");
        } else if (before != null) {
            caller.put("LC_ALL", before);
        }
        return caller;
    }

    private static Map<String, String> askedEnvironment(List<String> env, Map<String, String> caller) {
        Map<String, String> asked = new HashMap<>();
        for (String variable : env) {
            int equals = variable.indexOf('=');
            String name = equals < 0 ? variable : variable.substring(0, equals);
            String value = equals < 0 ? caller.get(name) : variable.substring(equals + 1);
            if (value == null || name.isEmpty()) {
                throw new UsageException(name.isEmpty()
                        ? "--env needs a name, as in --env NAME=VALUE"
                        : "--env " + Quoted.of(name)
                                + ": this variable is not set; set it with --env NAME=VALUE");
            }
            asked.put(name, value);
        }
        return asked;
    }

    /// The working folder without symbolic links: the kernel refuses absolute ones beneath the workspace.
    private static String folder(@Nullable String workdir) {
        String asked = workdir == null ? "" : workdir;
        try {
            // Ask the kernel: Java decoded its own `user.dir` before the locale could be corrected.
            return Path.of("/proc/self/cwd").toRealPath().resolve(asked).toRealPath().toString();
        } catch (NoSuchFileException _) {
            throw unusable(workdir == null
                    ? "the current folder no longer exists"
                    : "--workdir " + Quoted.of(asked)
                            + ": no such folder");
        } catch (IOException | InvalidPathException e) {
            throw unusable("cannot use the folder " + Quoted.of(asked) + ": " + e.getMessage());
        }
    }

    private static UsageException unusable(String why) {
        return new UsageException(why);
    }
}
