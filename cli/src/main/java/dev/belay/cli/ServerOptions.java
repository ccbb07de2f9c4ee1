package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.StateFolder;
import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.args.UsageException;
import java.nio.file.Path;
import java.util.Map;

/// The options that choose the server for a command, and the token for it.
final class ServerOptions {
    static final String TOKEN_FILE = "Token file (default: BELAY_TOKEN, then the local server's token).";
    static final String ID = "Session: its id, or the beginning of it.";
    static final String JSON = "Print one JSON object.";

    private static final String ABOUT = """
            @|bold Server:|@
              --server, or BELAY_SERVER, or your own server on this machine.

            @|bold Exit status:|@
              0      done
              1      error: no server, a mistake in the settings, ...
              2      wrong arguments
              3      not found
              4      a limit is reached
              5      denied: unknown token, or its role does not allow this
            """;

    private ServerOptions() {}

    /// The syntax of a client command: its own options come first.
    ///
    /// @param status more exit codes, each line with its line feed
    static Syntax of(Syntax own, String status, String examples) {
        return own.ofClient()
                .value("--server", "URL", "Server (default: BELAY_SERVER, then your own on this machine).")
                .value("--token-file", "FILE", TOKEN_FILE)
                .value("--state", "DIR", "State folder of your server, if you started it with --state.")
                .footer(ABOUT + status + "\n@|bold Examples:|@\n" + examples.indent(2).stripTrailing());
    }

    /// The syntax of a command about one session, without the options of its own.
    ///
    /// @param more parameters after the session's, as in the synopsis
    static Syntax ofSession(String name, String header, String more, String about) {
        return Syntax.of(name, header, "belay " + name + " [OPTION...] ID" + more)
                .description(about)
                .parameter("ID", ID);
    }

    /// The session that a command is about.
    static RemoteSession session(Arguments given) {
        return RemoteSession.find(client(given), given.words().getFirst());
    }

    /// The syntax of a command that asks the server for one thing and prints what comes of it.
    static Syntax ofRequest(String name, String header, String about, String examples) {
        return of(Syntax.of(name, header, "belay " + name + " [OPTION...]").description(about).flag("--json", JSON),
                "", examples);
    }

    static Path state(Arguments given) {
        Path state = given.path("--state");
        return state != null ? state : StateFolder.standard(System.getenv());
    }

    /// The server named by `--server`, or by `BELAY_SERVER`, or this user's own server on this machine.
    static RestClient client(Arguments given) {
        Map<String, String> env = System.getenv();
        Path folder = state(given);
        String server = given.text("--server");
        String url = server != null ? server : env.get("BELAY_SERVER");
        if (url == null) {
            url = new AddressFile(folder).known().orElseThrow(() -> new SessionException(
                    ErrorCode.UNAVAILABLE,
                    "You have no server running here; start one with 'belay serve', or name one with --server URL."));
        }
        ServerAddress address;
        try {
            address = ServerAddress.of(url);
        } catch (SessionException e) {
            throw new UsageException(String.valueOf(e.getMessage()), e);
        }
        return new RestClient(address, address.token(given.path("--token-file"), env, folder));
    }
}
