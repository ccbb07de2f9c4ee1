package dev.belay.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.EncodingType;
import dev.belay.Sessions;
import dev.belay.agent.AgentSettings;
import dev.belay.agent.AgentTools;
import dev.belay.linux.LinuxHost;
import dev.belay.testkit.LeakCheck;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The protocol itself, message by message, with real sessions behind it.
@ExtendWith(LeakCheck.class)
class StdioServerTest {
    private static final String HELLO =
            """
                    {"jsonrpc":"2.0","id":0,"method":"initialize","params":\
                    {"protocolVersion":"2025-11-25","capabilities":{},\
                    "clientInfo":{"name":"test","version":"1"}}}""";

    @TempDir
    static Path folder;

    private Sessions sessions;
    private AgentTools tools;
    private OutputStream input;
    private BufferedReader output;
    private Thread server;
    private volatile Results form = Results.BOTH;

    /// Has the JDK open what it keeps open before leaks are counted.
    @BeforeAll
    static void warmUp() throws Exception {
        awaitOnVirtualThread();
        StdioServerTest first = new StdioServerTest();
        first.serve();
        first.greet();
        first.run(1, "echo warm");
        first.answer(1);
        first.end();
    }

    /// What the JDK has virtual threads wait for pipes with, it makes when the first one waits.
    private static void awaitOnVirtualThread() throws Exception {
        Pipe pipe = Pipe.open();
        try (var source = pipe.source(); var sink = pipe.sink()) {
            Thread waiting = Thread.ofVirtual().start(() -> {
                try {
                    source.read(ByteBuffer.allocate(1));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            while (waiting.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            sink.write(ByteBuffer.wrap(new byte[1]));
            waiting.join();
        }
    }

    @BeforeEach
    void serve() throws Exception {
        sessions = Sessions.builder(LinuxHost.at(folder)).state(folder.resolve("state")).build();
        Pipe there = Pipe.open();
        Pipe back = Pipe.open();
        input = Channels.newOutputStream(there.sink());
        output = new BufferedReader(Channels.newReader(back.source(), StandardCharsets.UTF_8));
        tools = new AgentTools(sessions, AgentSettings.DEFAULT);
        server = Thread.ofPlatform().start(() -> {
            try (InputStream in = Channels.newInputStream(there.source());
                    OutputStream out = Channels.newOutputStream(back.sink())) {
                new StdioServer(in, out).run(new Conversation(Workplace.of(tools, "."), () -> form, "1.2.3"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @AfterEach
    void end() throws Exception {
        input.close();
        server.join();
        output.close();
        tools.close();
        sessions.close();
    }

    private void send(String line) throws IOException {
        input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        input.flush();
    }

    private JsonNode next() throws IOException {
        return JsonMapper.shared().readTree(output.readLine());
    }

    /// The next message, which answers this request.
    private JsonNode answer(int id) throws IOException {
        JsonNode message = next();
        assertThat(message.path("id").asInt(-1)).as(message.toString()).isEqualTo(id);
        return message;
    }

    private void greet() throws IOException {
        send(HELLO);
        assertThat(answer(0).at("/result/serverInfo/version").stringValue()).isEqualTo("1.2.3");
        send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    }

    private void run(int id, String cmd) throws IOException {
        send("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/call\",\"params\":{\"name\":\"unified_exec\","
                + "\"arguments\":{\"cmd\":\"" + cmd + "\",\"wait_for\":{\"exit\":true}}}}");
    }

    private int errorOf(String line) throws IOException {
        send(line);
        return next().at("/error/code").intValue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"})
    void eachVersionThatIsSpokenIsAnsweredInKind(String version) throws Exception {
        send(HELLO.replace("2025-11-25", version));
        assertThat(answer(0).at("/result/protocolVersion").stringValue()).isEqualTo(version);
    }

    @Test
    void aVersionThatIsNotSpokenIsAnsweredWithTheNewest() throws Exception {
        send(HELLO.replace("2025-11-25", "2031-01-01"));
        assertThat(answer(0).at("/result/protocolVersion").stringValue()).isEqualTo("2025-11-25");
    }

    @Test
    void aMessageThatIsNotUtf8IsRefusedAsAWhole() throws IOException {
        greet();
        byte[] message =
                ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"unified_exec\","
                        + "\"arguments\":{\"cmd\":\"echo \u00ff\"}}}\n").getBytes(StandardCharsets.ISO_8859_1);
        input.write(message);
        input.flush();
        JsonNode refused = next();
        assertThat(refused.at("/error/code").asInt()).isEqualTo(-32700);
        assertThat(refused.at("/error/message").stringValue()).contains("not valid UTF-8");
        assertThat(sessions.list()).isEmpty();
        run(2, "echo fine");
        answer(2);
    }

    @Test
    void whatIsNoMessageGetsTheErrorOfTheProtocolAndTheNextOneIsServed() throws Exception {
        greet();
        assertThat(errorOf("{\"jsonrpc\":")).isEqualTo(-32700);
        assertThat(errorOf("nonsense")).isEqualTo(-32700);
        assertThat(errorOf("[]")).isEqualTo(-32600);
        assertThat(errorOf("17")).isEqualTo(-32600);
        assertThat(errorOf("{\"id\":1,\"method\":\"ping\"}")).isEqualTo(-32600);
        assertThat(errorOf("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}")).isEqualTo(-32600);
        assertThat(errorOf("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}")).isEqualTo(-32601);
        assertThat(errorOf("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":[]}")).isEqualTo(-32602);
        assertThat(errorOf("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}")).isEqualTo(-32602);
        assertThat(errorOf("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}")).isEqualTo(-32600);
        send("");
        send("{\"jsonrpc\":\"2.0\",\"id\":\"text\",\"method\":\"ping\"}");
        assertThat(next().path("id").stringValue()).isEqualTo("text");
    }

    @Test
    void aMessageThatIsTooLongIsRefusedAndNotKept() throws Exception {
        greet();
        byte[] part = " ".repeat(1 << 16).getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i <= (8 << 20) / part.length; i++) {
            input.write(part);
        }
        send("");
        JsonNode refused = next();
        assertThat(refused.at("/error/code").intValue()).isEqualTo(-32600);
        assertThat(refused.at("/error/message").stringValue()).contains("8388608 bytes");
        run(1, "echo on");
        assertThat(answer(1).at("/result/structuredContent/output").stringValue()).isEqualTo("on\n");
    }

    @Test
    void nothingIsDoneBeforeTheGreeting() throws Exception {
        send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
        assertThat(answer(1).has("result")).isTrue();
        run(2, "echo early");
        assertThat(answer(2).at("/error/message").stringValue()).isEqualTo("Send initialize first.");
        assertThat(sessions.list()).isEmpty();
    }

    // --- since 2026-07-28 ---

    private static String today(int id, String method, String params, String capabilities) {
        return """
                {"jsonrpc":"2.0","id":%d,"method":"%s","params":{%s"_meta":{\
                "io.modelcontextprotocol/protocolVersion":"2026-07-28",\
                "io.modelcontextprotocol/clientCapabilities":%s}}}"""
                .formatted(id, method, params, capabilities);
    }

    private static String todaysCall(int id, String cmd, String capabilities, String more) {
        return today(id, "tools/call", "\"name\":\"unified_exec\",\"arguments\":{\"cmd\":\"" + cmd
                + "\",\"wait_for\":{\"exit\":true}}," + more, capabilities);
    }

    @Test
    void aRequestThatSaysEverythingItselfNeedsNoGreeting() throws Exception {
        send(today(1, "server/discover", "", "{}"));
        JsonNode found = answer(1).path("result");
        assertThat(found.path("supportedVersions").get(0).stringValue()).isEqualTo("2026-07-28");
        assertThat(found.path("supportedVersions").toString()).contains("2025-11-25");
        assertThat(found.at("/capabilities/tools").isObject()).isTrue();
        assertThat(found.path("resultType").stringValue()).isEqualTo("complete");
        assertThat(found.path("_meta").path("io.modelcontextprotocol/serverInfo").path("version").stringValue())
                .isEqualTo("1.2.3");
        assertThat(found.path("ttlMs").intValue()).isPositive();
        assertThat(found.path("cacheScope").stringValue()).isEqualTo("public");
        send(today(2, "tools/list", "", "{}"));
        assertThat(answer(2).at("/result/tools").size()).isEqualTo(5);
        send(todaysCall(3, "echo today", "{}", ""));
        JsonNode said = answer(3).path("result");
        assertThat(said.path("resultType").stringValue()).isEqualTo("complete");
        assertThat(said.toString()).contains("today");
    }

    @Test
    void bothErasAreServedSideBySideAndNeitherSpeaksForTheOther() throws Exception {
        send(todaysCall(1, "sleep 1000", "{}", ""));
        run(2, "echo early");
        assertThat(answer(2).at("/error/message").stringValue()).isEqualTo("Send initialize first.");
        greet();
        run(3, "echo greeted");
        JsonNode old = answer(3).path("result");
        assertThat(old.has("resultType")).isFalse();
        send(today(4, "ping", "", "{}"));
        assertThat(answer(4).at("/error/code").intValue()).isEqualTo(-32601);
        send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}");
        send(todaysCall(5, "echo after", "{}", ""));
        answer(5);
    }

    @Test
    void whatARequestMustSayIsAskedFor() throws Exception {
        send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}");
        assertThat(answer(1).at("/error/code").intValue()).isEqualTo(-32602);
        send(today(2, "server/discover", "", "7"));
        assertThat(answer(2).at("/error/code").intValue()).isEqualTo(-32602);
        send(today(3, "tools/list", "", "{}").replace("2026-07-28", "1900-01-01"));
        JsonNode error = answer(3).path("error");
        assertThat(error.path("code").intValue()).isEqualTo(-32022);
        assertThat(error.at("/data/requested").stringValue()).isEqualTo("1900-01-01");
        assertThat(error.at("/data/supported").toString()).contains("2026-07-28", "2025-03-26");
    }

    @Test
    void aClientWithRootsIsAskedForThemByTheResultAndAnswersInItsNextTry() throws Exception {
        java.nio.file.Files.createDirectories(folder.resolve("rooted"));
        send(todaysCall(1, "pwd", "{\"roots\":{}}", ""));
        JsonNode asks = answer(1).path("result");
        assertThat(asks.path("resultType").stringValue()).isEqualTo("input_required");
        assertThat(asks.at("/inputRequests/roots/method").stringValue()).isEqualTo("roots/list");
        assertThat(sessions.list()).as("nothing was started").isEmpty();
        send(todaysCall(2, "pwd", "{\"roots\":{}}", "\"inputResponses\":{\"roots\":{\"roots\":[{\"uri\":\""
                + folder.resolve("rooted").toUri() + "\"}]},\"more\":{}},"));
        JsonNode done = answer(2).path("result");
        assertThat(done.path("resultType").stringValue()).isEqualTo("complete");
        assertThat(done.at("/content/0/text").stringValue()).contains("/rooted\n");
        send(todaysCall(3, "pwd", "{\"roots\":{}}", "\"inputResponses\":{\"roots\":7},"));
        assertThat(answer(3).at("/error/code").intValue()).isEqualTo(-32602);
    }

    @Test
    void aSubscriptionIsAcknowledgedAndEndsWithBelay() throws Exception {
        send(today(1, "subscriptions/listen", "\"notifications\":{\"toolsListChanged\":true},", "{}"));
        JsonNode acknowledged = next();
        assertThat(acknowledged.path("method").stringValue()).isEqualTo("notifications/subscriptions/acknowledged");
        assertThat(acknowledged.at("/params/_meta").path("io.modelcontextprotocol/subscriptionId").intValue())
                .isEqualTo(1);
        assertThat(acknowledged.at("/params/notifications").isEmpty()).as("nothing of it ever changes").isTrue();
        send(today(2, "subscriptions/listen", "\"notifications\":{},", "{}"));
        next();
        send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}");
        input.close();
        JsonNode over = answer(1).path("result");
        assertThat(over.path("resultType").stringValue()).isEqualTo("complete");
        assertThat(over.path("_meta").path("io.modelcontextprotocol/subscriptionId").intValue()).isEqualTo(1);
        assertThat(output.readLine()).as("a cancelled one has no end").isNull();
    }

    @Test
    void progressCarriesTheLastLineOfOutput() throws Exception {
        send(todaysCall(1, "echo one; echo two; sleep 1000", "{}", "").replace("\"_meta\":{",
                "\"_meta\":{\"progressToken\":\"p\","));
        JsonNode told = next();
        while (!told.at("/params/message").asString("").equals("two")) {
            assertThat(told.path("method").asString("")).isEqualTo("notifications/progress");
            told = next();
        }
        assertThat(told.at("/params/progressToken").stringValue()).isEqualTo("p");
    }

    @Test
    void aWrongFolderIsAnsweredWithTheOneThatFoldersStartAt() throws Exception {
        greet();
        for (String workdir : List.of("nowhere", "..")) {
            send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"unified_exec\","
                    + "\"arguments\":{\"cmd\":\"pwd\",\"workdir\":\"" + workdir + "\"}}}");
            assertThat(answer(1).at("/result/content/0/text").stringValue())
                    .contains("workdir is relative to " + folder.toRealPath());
        }
    }

    @Test
    void severalMessagesInOneLineAreAllAnswered() throws Exception {
        greet();
        send("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]");
        answer(1);
        answer(2);
    }

    @Test
    void aCallThatWaitsHoldsUpNothingAndItsIdIsTaken() throws Exception {
        greet();
        run(1, "sleep 1000");
        send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"list_pty_sessions\"}}");
        assertThat(answer(1).at("/error/message").stringValue()).contains("in progress");
        run(2, "echo beside");
        assertThat(answer(2).at("/result/structuredContent/exit_code").intValue()).isZero();
    }

    @Test
    void aCancelledCallIsNotAnsweredAndItsSessionLivesOn() throws Exception {
        greet();
        run(1, "sleep 1000");
        send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}");
        send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":77}}");
        run(2, "echo after");
        answer(2);
    }

    @Test
    void theEndOfTheInputEndsAllWaits() throws Exception {
        greet();
        run(1, "sleep 1000");
        run(2, "echo begun");
        answer(2);
        input.close();
        server.join();
        assertThat(output.readLine()).isNull();
    }

    @Test
    void aClientThatLetsTooManyAnswersWaitHasGone() throws Exception {
        greet();
        assertThatIOException().isThrownBy(() -> {
            for (int id = 1; id < 20_000; id++) {
                send("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/list\"}");
            }
        });
        server.join();
        answer(1);
    }

    @Test
    void theListOfToolsIsShortEnoughForAModelAndTellsTheDefaultsThatHold() throws Exception {
        form = Results.TEXT;
        greet();
        send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
        JsonNode tools = answer(1).at("/result/tools");
        long tokens = Encodings.newLazyEncodingRegistry()
                .getEncoding(EncodingType.O200K_BASE)
                .countTokensOrdinary(tools.toString());
        System.out.println("tools/list: " + tokens + " tokens, " + tools.toString().length() + " characters");
        assertThat(tokens).isLessThanOrEqualTo(1_200);
        AgentSettings settings = AgentSettings.DEFAULT;
        assertThat(tools.toString())
                .contains("default " + settings.yield().toMillis() + ",",
                        settings.maxCall().toMillis() + " with wait_for",
                        "default " + settings.shell(), "default " + settings.idleTimeout().toMillis())
                .doesNotContain("${");
        for (JsonNode tool : tools) {
            String name = tool.path("name").stringValue();
            assertThat(tool.path("inputSchema").path("type").stringValue()).isEqualTo("object");
            assertThat(tool.has("outputSchema")).as(name).isFalse();
            JsonNode hints = tool.path("annotations");
            assertThat(hints.path("openWorldHint").isBoolean()).as(name).isTrue();
            assertThat(hints.path("readOnlyHint").booleanValue() || hints.path("destructiveHint").booleanValue())
                    .as(name).isTrue();
        }
    }

    @Test
    void anAnswerCarriesWhatWasAskedFor() throws Exception {
        greet();
        for (Results each : Results.values()) {
            form = each;
            run(1, "echo said");
            JsonNode result = answer(1).path("result");
            assertThat(result.path("content").isEmpty()).isEqualTo(each == Results.STRUCTURED);
            assertThat(result.has("structuredContent")).isEqualTo(each != Results.TEXT);
            assertThat(result.toString()).contains("said").contains("\"isError\":false");
        }
    }

    @Test
    void wrongArgumentsAreResultsThatNameTheRightOne() throws Exception {
        form = Results.TEXT;
        greet();
        send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"unified_exec\","
                + "\"arguments\":{\"command\":\"ls\"}}}");
        JsonNode result = answer(1).path("result");
        assertThat(result.path("isError").booleanValue()).isTrue();
        assertThat(result.at("/content/0/text").stringValue()).contains("INVALID_REQUEST", "'command'",
                "did you mean cmd?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"unified_exec", "write_stdin", "read_output", "close_pty_session"})
    void refusalsHaveAllThatTheSchemaPromises(String tool) throws Exception {
        greet();
        send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
        JsonNode listed = answer(1).at("/result/tools");
        JsonNode schema = Stream.iterate(0, i -> i + 1).limit(listed.size()).map(listed::get)
                .filter(each -> each.path("name").stringValue().equals(tool)).findFirst().orElseThrow()
                .path("outputSchema");
        for (String arguments : List.of(
                "{\"cmd\":\" \"}", "{\"cmd\":\"true\",\"cols\":0}", "{\"session_id\":\"nobody\"}",
                "{\"session_id\":\"nobody\",\"max_output_tokens\":0}", "{\"session_id\":\"nobody\",\"force\":true}")) {
            send("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool
                    + "\",\"arguments\":" + arguments + "}}");
            JsonNode answer = answer(2);
            JsonNode content = answer.at("/result/structuredContent");
            assertThat(answer.at("/result/isError").booleanValue()).isTrue();
            assertThat(content.at("/error/code").stringValue()).isNotEmpty();
            for (JsonNode name : schema.path("required")) {
                assertThat(content.has(name.stringValue())).as("%s in %s", name, content).isTrue();
            }
        }
    }
}
