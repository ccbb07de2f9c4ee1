package dev.belay.cli;

import dev.belay.SessionException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/// `belay mcp --install`: shows the entry for a client, and writes it to the client's file if the user agrees.
///
/// @param agrees asks the person
record McpInstall(AgentClient client, Path file, String command, PrintStream out, BooleanSupplier agrees) {
    /// Returns the exit code.
    int run() throws IOException {
        Path target = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
        ClientFile now = new ClientFile(client, Files.exists(target) ? Files.readString(target) : "");
        String written;
        try {
            if (now.has()) {
                out.println(
                        file + " already has an entry 'belay'. Nothing was changed; to replace it, remove it first.");
                return 0;
            }
            written = now.with(command);
        } catch (SessionException e) {
            throw new SessionException(e.code(), file + ": " + e.getMessage() + " Nothing was changed. The entry is:\n"
                    + client.document(command));
        }
        out.println((now.text().isEmpty() ? "New file " : "To add to ") + file + " for " + client.title() + ":\n");
        out.println(client.document(command));
        if (!agrees.getAsBoolean()) {
            out.println("Nothing was changed.");
            return 1;
        }
        AtomicFile.write(target, written);
        out.println("Done. " + client.next());
        return 0;
    }
}
