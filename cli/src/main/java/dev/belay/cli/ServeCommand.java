package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.StateFolder;
import dev.belay.cli.config.Config;
import dev.belay.server.ServerSettings.Tls;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `belay serve`: what the arguments and the settings file ask for, as a [Daemon] to run.
@Command(name = "serve", sortOptions = false)
final class ServeCommand implements Callable<Integer> {
    @Option(names = "--host", paramLabel = "ADDRESS", description = Help.HOST)
    private @Nullable String host;

    @Option(names = "--port", paramLabel = "PORT", description = Help.PORT)
    private @Nullable Integer port;

    @Option(names = "--workspace", paramLabel = "DIR", description = Help.WORKSPACE)
    private Path workspace = Path.of("");

    @Option(names = "--state", paramLabel = "DIR", description = Help.STATE)
    private @Nullable Path state;

    @Option(names = "--config", paramLabel = "FILE", description = Help.CONFIG)
    private @Nullable Path config;

    @Option(names = "--tls-cert", paramLabel = "FILE", description = Help.TLS_CERT)
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = Help.TLS_KEY)
    private @Nullable Path key;

    @Option(names = "--insecure", description = Help.INSECURE)
    private boolean insecure;

    @Option(names = "--print-config", description = Help.PRINT_CONFIG)
    private boolean printConfig;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = Help.HELP)
    @SuppressWarnings("UnusedVariable")
    private boolean help;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec model;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (printConfig) {
            System.out.print(Config.reference());
            return 0;
        }
        if ((certificate == null) != (key == null)) {
            throw new ParameterException(model.commandLine(), "--tls-cert and --tls-key are given together");
        }
        Path folder = state != null ? state : StateFolder.standard(System.getenv());
        Config settings = settings();
        requireSafe(settings);
        return new Daemon(folder, workspace.toRealPath(), settings, this::settings).run();
    }

    /// What the file says now, with what the arguments say over it.
    private Config settings() {
        Config read = Config.read(config, System.getenv()).requireKept();
        var binding = read.server().binding();
        Tls tls = certificate != null && key != null ? new Tls(certificate, key) : binding.tls();
        var asked = new dev.belay.server.ServerSettings.Binding(
                host != null ? host : binding.host(), port != null ? port : binding.port(), tls);
        return new Config(
                read.limits(), read.resources(), read.server().binding(asked), read.agent(), read.env(),
                read.insecure() || insecure);
    }

    /// Tokens and all that is typed would be open to whoever is on the way.
    private static void requireSafe(Config settings) {
        var binding = settings.server().binding();
        if (binding.tls() == null && !settings.insecure() && !ServerAddress.isLoopback(binding.host())) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    "Belay does not listen on " + binding.host() + " without encryption: give --tls-cert and --tls-key,"
                            + " or --insecure if something before it encrypts.");
        }
    }
}
