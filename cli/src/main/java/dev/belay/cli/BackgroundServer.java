package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.PrivateFolder;
import dev.belay.SessionException;
import dev.belay.cli.args.Arguments;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A server that a client command starts because there is none: in a session of its own, so that no Ctrl-C and no
/// closed terminal reaches it, with its log in the state folder.
final class BackgroundServer {
    private static final String LOG = "serve.log";
    private static final int LOG_LINES = 5;

    private BackgroundServer() {}

    /// A client of the server that is running, or of one that this starts.
    static RestClient client(Arguments given) throws IOException {
        if (given.flag("--server") || System.getenv("BELAY_SERVER") != null) {
            return ServerOptions.client(given);
        }
        Path state = ServerOptions.state(given);
        String known = new AddressFile(state).known().orElse(null);
        if (known == null || !ServerAddress.of(known).answers()) {
            start(state);
        }
        return ServerOptions.client(given);
    }

    private static void start(Path state) throws IOException {
        Path log = state.resolve(LOG);
        PrivateFolder.make(state).close();
        Files.newByteChannel(
                log,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))
                .close();
        Process server = spawn(state, log);
        // It prints its address when it listens; if it fails, the pipe ends.
        try (BufferedReader out = server.inputReader(StandardCharsets.UTF_8)) {
            String first = out.readLine();
            if (first != null && first.startsWith(ForegroundServer.LISTENING)) {
                System.err.println("belay: started a server at " + first.substring(ForegroundServer.LISTENING.length())
                        + " (log: " + log + ")");
                return;
            }
        }
        List<String> lines = Files.readAllLines(log);
        throw new SessionException(
                ErrorCode.UNAVAILABLE,
                "The server did not start; the end of " + log + ":\n"
                        + String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size())));
    }

    private static Process spawn(Path state, Path log) throws IOException {
        List<String> command = new ArrayList<>(List.of("setsid"));
        command.addAll(self());
        command.addAll(List.of("serve", "--state", state.toAbsolutePath().toString()));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().keySet().removeAll(Set.of("BELAY_TOKEN", "BELAY_SERVER"));
        try {
            return builder.start();
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE,
                    "Cannot start a server in the background (" + e.getMessage()
                            + "); install util-linux, or run 'belay serve' in another terminal.",
                    Map.of(),
                    e);
        }
    }

    /// The words that start this Belay again: its launcher, or the JVM as it was started.
    static List<String> self() {
        String launcher = System.getProperty("belay.launcher");
        if (launcher != null) {
            return List.of(launcher);
        }
        ProcessHandle.Info info = ProcessHandle.current().info();
        List<String> words = new ArrayList<>(List.of(info.command().orElse("java")));
        for (String word : info.arguments().orElse(new String[0])) {
            words.add(word);
            if (word.endsWith("/" + Main.class.getName())) {
                break;
            }
        }
        return words;
    }
}
