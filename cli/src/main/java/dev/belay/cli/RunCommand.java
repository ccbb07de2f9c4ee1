package dev.belay.cli;

import dev.belay.Environment;
import dev.belay.Limits;
import dev.belay.Mode;
import dev.belay.Quoted;
import dev.belay.Resources;
import dev.belay.SessionSpec;
import dev.belay.Size;
import dev.belay.cli.config.ByteSize;
import dev.belay.cli.config.TimeSpan;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `belay run`: what the arguments ask for, as a [SessionSpec] for [Foreground] to run.
@Command(name = "run", sortOptions = false)
final class RunCommand implements Callable<Integer> {
    /// The log is what may be printed before somebody reads it. Small, since after Ctrl-C the rest of it still goes to
    /// the screen.
    private static final Limits LIMITS = Limits.DEFAULT.maxSessions(1).logBytes(256 << 10);

    @Option(names = "--workdir", paramLabel = "DIR", description = Help.WORKDIR)
    private @Nullable String workdir;

    @Option(names = "--timeout", paramLabel = "TIME", converter = TimeSpan.class, description = Help.TIMEOUT)
    private @Nullable Duration timeout;

    @Option(names = "--env", paramLabel = "NAME[=VALUE]", description = Help.ENV)
    private List<String> env = List.of();

    @Option(names = "--cpu", paramLabel = "TIME", converter = TimeSpan.class, description = Help.CPU)
    private @Nullable Duration cpu;

    @Option(names = "--memory", paramLabel = "SIZE", converter = ByteSize.class, description = Help.MEMORY)
    private @Nullable Long memory;

    @Option(names = "--file-size", paramLabel = "SIZE", converter = ByteSize.class, description = Help.FILE_SIZE)
    private @Nullable Long fileSize;

    @Option(names = "--open-files", paramLabel = "N", description = Help.OPEN_FILES)
    private @Nullable Long openFiles;

    @Option(names = "--processes", paramLabel = "N", description = Help.PROCESSES)
    private @Nullable Long processes;

    @Option(names = "--pipe", description = Help.PIPE)
    private boolean pipe;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = Help.HELP)
    @SuppressWarnings("UnusedVariable")
    private boolean help;

    @Parameters(hidden = true, arity = "0..*")
    private List<String> command = List.of();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec model;

    @Override
    public Integer call() throws InterruptedException {
        if (command.isEmpty()) {
            throw new ParameterException(
                    model.commandLine(), "no command was given; name one, for instance: belay run -- ls -l");
        }
        Map<String, String> caller = callersEnvironment();
        Map<String, String> asked = askedEnvironment(caller);
        String folder = folder();
        Resources resources = new Resources(cpu, memory, fileSize, openFiles, processes, null, null);
        try (Scratch scratch = Scratch.open(
                Path.of("/"), Environment.inherited(caller), LIMITS, resources)) {
            Stdio stdio = Stdio.look();
            SessionSpec spec = SessionSpec.of(command)
                    .workdir(folder)
                    .mode(mode(stdio))
                    .env(terminalName(stdio, caller))
                    .env(asked)
                    .timeout(timeout)
                    .lossless(true);
            return new Foreground(scratch, stdio, spec).run();
        }
    }

    private Mode mode(Stdio stdio) {
        if (pipe) {
            return new Mode.Pipe();
        }
        Size size = stdio.size();
        return stdio.in() != null
                ? new Mode.Pty(size, true, stdio.out() != null)
                : new Mode.Pty(size, false, stdio.out() != null);
    }

    /// The session's terminal is the caller's own; in a pipeline nobody obeys what a clever terminal would.
    private static Map<String, String> terminalName(Stdio stdio, Map<String, String> caller) {
        String name = stdio.any() ? caller.getOrDefault("TERM", "") : "dumb";
        return name.isEmpty() ? Map.of() : Map.of("TERM", name);
    }

    /// The environment belay was started from. The launcher may have set `LC_ALL`, since Java reads arguments
    /// other than ASCII wrongly where the locale has no UTF-8; then `BELAY_LC_ALL` is what it was.
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

    private Map<String, String> askedEnvironment(Map<String, String> caller) {
        Map<String, String> asked = new HashMap<>();
        for (String variable : env) {
            int equals = variable.indexOf('=');
            String name = equals < 0 ? variable : variable.substring(0, equals);
            String value = equals < 0 ? caller.get(name) : variable.substring(equals + 1);
            if (value == null || name.isEmpty()) {
                throw new ParameterException(
                        model.commandLine(),
                        name.isEmpty()
                                ? "--env needs a name, as in --env NAME=VALUE"
                                : "--env " + Quoted.of(name)
                                        + ": you have no such variable; set it with --env NAME=VALUE");
            }
            asked.put(name, value);
        }
        return asked;
    }

    /// The working folder without links: the kernel would refuse absolute ones beneath the workspace.
    private String folder() {
        String asked = workdir == null ? "" : workdir;
        try {
            // The kernel's word for it: what Java knows was decoded before anybody could say how.
            return Path.of("/proc/self/cwd").toRealPath().resolve(asked).toRealPath().toString();
        } catch (NoSuchFileException _) {
            throw unusable(workdir == null
                    ? "the current folder was deleted"
                    : "--workdir " + Quoted.of(asked)
                            + ": there is no such folder");
        } catch (IOException | InvalidPathException e) {
            throw unusable("the folder " + Quoted.of(asked) + " cannot be used: " + e.getMessage());
        }
    }

    private ParameterException unusable(String why) {
        return new ParameterException(model.commandLine(), why);
    }
}
