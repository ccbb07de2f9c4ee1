package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Runs scripts in node: those of `client/test` with the official client of Socket.IO and our library on it, and those
/// of `console/test` with a browser.
final class Node {
    /// Beside the folder that tests run in.
    private static final Path CLIENT = Path.of("../client");

    private static final JsonMapper JSON = new JsonMapper();

    private Node() {}

    /// Runs a script to its end; it has to succeed.
    ///
    /// @return the JSON in its last line
    static JsonNode run(String script, String... args) throws Exception {
        return run(CLIENT, script, args);
    }

    /// Runs a script of the folder `test` beside the packages that it needs.
    static JsonNode run(Path folder, String script, String... args) throws Exception {
        assertThat(Files.isDirectory(folder.resolve("node_modules")))
                .as("run npm ci in %s, as scripts/verify does", folder).isTrue();
        List<String> command = new ArrayList<>(List.of("node", "test/" + script));
        command.addAll(List.of(args));
        Path said = Files.createTempFile("belay-node", ".out");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            boolean ended = process.waitFor(200, TimeUnit.SECONDS);
            String output = Files.readString(said);
            assertThat(ended).as("%s is done; it said: %s", command, output).isTrue();
            assertThat(process.exitValue()).as("%s", output).isZero();
            return JSON.readTree(output.strip().lines().reduce("", (_, last) -> last));
        } finally {
            process.destroyForcibly().waitFor();
            Files.delete(said);
        }
    }
}
