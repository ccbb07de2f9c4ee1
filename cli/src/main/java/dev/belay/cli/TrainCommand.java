package dev.belay.cli;

import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Syntax;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Runs the commands on standard input, a line each, in this one process, so that one AOT cache holds the code of all.
/// A line `keys N` types N keys into the server's sessions at each door. `./belay` uses it when it builds; the help
/// does not name it.
final class TrainCommand implements Command {
    private static final String KEYS = "keys ";
    private static final List<Integer> FAILURES =
            List.of(ExitCodes.CLIENT_FAILED, ExitCodes.CLIENT_MISUSED, ExitCodes.BELAY_FAILED);

    @Override
    public Syntax syntax() {
        return ServerOptions.of(Syntax.of("train", "Run the commands on standard input.", "belay train"), "", "");
    }

    @Override
    public int run(Arguments given) throws IOException {
        // All at once: commands may read standard input.
        List<String> lines = new String(System.in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        boolean failed = false;
        for (String line : lines) {
            int code = line.startsWith(KEYS) ? type(line, given) : Main.run(List.of(line.split(" ", -1)));
            System.err.println(line + ": " + code);
            failed |= FAILURES.contains(code);
        }
        return failed ? ExitCodes.CLIENT_FAILED : 0;
    }

    private static int type(String line, Arguments given) {
        try {
            new TrainingClient(ServerOptions.client(given)).type(Integer.parseInt(line.substring(KEYS.length())));
            return 0;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return ExitCodes.CLIENT_FAILED;
        }
    }
}
