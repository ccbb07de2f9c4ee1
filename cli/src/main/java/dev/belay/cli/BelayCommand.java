package dev.belay.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `belay` without a subcommand: shows the help.
@Command(name = "belay", versionProvider = BelayCommand.Version.class)
final class BelayCommand implements Runnable {
    @Option(names = {"-h", "--help"}, usageHelp = true, description = Help.HELP)
    @SuppressWarnings("UnusedVariable")
    private boolean help;

    @Option(names = {"-V", "--version"}, versionHelp = true, description = Help.VERSION)
    @SuppressWarnings("UnusedVariable")
    private boolean version;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /// The version of the build, from a resource that the build fills in.
    static String version() throws IOException {
        try (InputStream in = BelayCommand.class.getResourceAsStream("version.txt")) {
            return in == null ? "?" : new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    /// Tells picocli the version.
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() throws IOException {
            return new String[] {"belay " + version()};
        }
    }
}
