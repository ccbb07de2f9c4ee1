package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// `belay mcp --check`: starts `belay mcp` as a client would, runs a command, and prints what the client will see.
///
/// @param options those of `belay mcp` that are to be tried
record McpCheck(List<String> options, PrintStream out) {
    private static final Duration PARTING = Duration.ofSeconds(10);
    private static final String META = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
            + "\"io.modelcontextprotocol/clientCapabilities\":{},"
            + "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"belay-check\",\"version\":\"1\"}}";

    /// Returns the exit code.
    int run() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(BackgroundServer.self());
        command.add("mcp");
        command.addAll(options);
        long began = System.nanoTime();
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (OutputStream in = process.getOutputStream();
                BufferedReader answers = process.inputReader(StandardCharsets.UTF_8)) {
            JsonNode server = ask(in, answers, "server/discover", "").path("result");
            out.println("Versions   " + String.join(", ",
                    server.path("supportedVersions").valueStream().map(JsonNode::asString).toList()));
            JsonNode tools = ask(in, answers, "tools/list", "").at("/result/tools");
            out.println("Tools      " + String.join(", ",
                    tools.valueStream().map(tool -> tool.path("name").asString("")).toList()));
            out.println("Ready      after " + Duration.ofNanos(System.nanoTime() - began).toMillis() + " ms");
            JsonNode said = ask(in, answers, "tools/call", "\"name\":\"unified_exec\",\"arguments\":"
                    + "{\"cmd\":\"pwd; echo It works.\",\"wait_for\":{\"exit\":true}},");
            out.println("\nunified_exec {\"cmd\": \"pwd; echo It works.\"} answers:\n");
            out.println(seen(said.path("result")));
            boolean works = said.path("result").toString().contains("It works.")
                    && !said.at("/result/isError").booleanValue();
            out.println(works ? "\nBelay works. 'belay mcp --install CLIENT' sets up your client." : "\nThis failed.");
            return works ? 0 : 1;
        } finally {
            if (!process.waitFor(PARTING.toSeconds(), TimeUnit.SECONDS)) {
                process.destroy();
            }
        }
    }

    private static String seen(JsonNode result) {
        String text = result.at("/content/0/text").asString("");
        JsonNode records = result.path("structuredContent");
        return (text.isEmpty() ? "" : text.indent(2).stripTrailing())
                + (records.isMissingNode() ? "" : "\n  " + records);
    }

    private static JsonNode ask(OutputStream in, BufferedReader answers, String method, String params)
            throws IOException {
        in.write(("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":{" + params + META + "}}\n")
                .getBytes(StandardCharsets.UTF_8));
        in.flush();
        String line = answers.readLine();
        if (line == null) {
            throw failed("belay mcp has ended without an answer; its messages are above");
        }
        try {
            JsonNode answer = JsonMapper.shared().readTree(line);
            if (answer.has("error")) {
                throw failed("belay mcp answered: " + answer.at("/error/message").asString(""));
            }
            return answer;
        } catch (JacksonException _) {
            throw failed("belay mcp printed something that is not a message: " + line);
        }
    }

    private static SessionException failed(String why) {
        return new SessionException(ErrorCode.UNAVAILABLE, why);
    }
}
