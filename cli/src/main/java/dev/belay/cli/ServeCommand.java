package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.args.UsageException;
import dev.belay.cli.config.Config;
import dev.belay.server.settings.ServerSettings.Tls;
import java.io.IOException;
import java.nio.file.Path;

/// `belay serve`: turns the arguments and the settings file into a [ForegroundServer] and runs it.
final class ServeCommand implements Command {
    static final String WORKSPACE = "Folder in which sessions start (default: the current one).";
    static final String CONFIG = "Settings file (default: ~/.config/belay/belay.toml).";
    private static final int MAX_PORT = 65_535;

    private static final String ABOUT = """
            Runs the server in the foreground and prints its address and a one-time link
            to its web console. Programs sign in with the token in the file 'token' in the
            state folder. Ctrl-C ends the server and all its sessions. 'belay reload' or
            SIGHUP reads the settings again.""";

    private static final String MORE = """
            @|bold Examples:|@
              belay serve
              belay serve --port=0 --workspace=src
              belay serve --print-config > belay.toml
              belay serve --config=belay.toml""";

    @Override
    public Syntax syntax() {
        return Syntax.of("serve", "Serve sessions over HTTP and WebSocket.", "belay serve [OPTION...]")
                .description(ABOUT)
                .value("--host", "ADDRESS", "Address to listen on (default: 127.0.0.1).")
                .value("--port", "PORT", "Port to listen on (default: 10000); 0 picks a free one.")
                .value("--workspace", "DIR", WORKSPACE)
                .value("--state", "DIR", "Folder for the token and the output (default: $XDG_STATE_HOME/belay).")
                .value("--config", "FILE", CONFIG)
                .value("--tls-cert", "FILE", "Certificate chain, as PEM.")
                .value("--tls-key", "FILE", "Private key of the certificate, as PEM (PKCS#8).")
                .flag("--insecure", "Allow addresses other than loopback without TLS.")
                .flag("--print-config", "Print all settings with their defaults, and exit.")
                .footer(MORE);
    }

    @Override
    public int run(Arguments given) throws IOException, InterruptedException {
        if (given.flag("--print-config")) {
            System.out.print(Config.template());
            return 0;
        }
        if (given.flag("--tls-cert") != given.flag("--tls-key")) {
            throw new UsageException("--tls-cert and --tls-key need each other");
        }
        // Otherwise Jetty asks the JVM's management for it, which takes a sixth of the whole start.
        System.getProperties().putIfAbsent("org.eclipse.jetty.util.referencesPerCacheLine", "16");
        Path workspace = given.path("--workspace");
        Config settings = settings(given);
        requireSafe(settings);
        return new ForegroundServer(
                ServerOptions.state(given),
                (workspace != null ? workspace : Path.of("")).toRealPath(),
                settings,
                Config.file(given.path("--config"), System.getenv()),
                () -> settings(given)).run();
    }

    /// The settings in the file as it is now, overridden by the arguments.
    private static Config settings(Arguments given) {
        Config read = Config.read(given.path("--config"), System.getenv()).requireKept();
        var binding = read.server().binding();
        Path certificate = given.path("--tls-cert");
        Path key = given.path("--tls-key");
        String host = given.text("--host");
        Long port = given.number("--port");
        if (port != null && port > MAX_PORT) {
            throw new UsageException("--port: ports go from 0 to " + MAX_PORT);
        }
        Tls tls = certificate != null && key != null ? new Tls(certificate, key) : binding.tls();
        var asked = new dev.belay.server.settings.ServerSettings.Binding(
                host != null ? host : binding.host(), port != null ? port.intValue() : binding.port(), tls);
        return read.over(asked, given.flag("--insecure"));
    }

    /// Without encryption, anyone on the network path could read tokens and input.
    private static void requireSafe(Config settings) {
        var binding = settings.server().binding();
        if (binding.tls() == null && !settings.insecure() && !ServerAddress.isLoopback(binding.host())) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    "Belay does not listen on " + binding.host() + " without encryption: use --tls-cert and --tls-key,"
                            + " or --insecure if a proxy in front of it encrypts.");
        }
    }
}
