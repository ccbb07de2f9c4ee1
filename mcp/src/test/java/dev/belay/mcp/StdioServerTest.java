package dev.belay.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.belay.Sessions;
import dev.belay.agent.AgentSettings;
import dev.belay.agent.AgentTools;
import dev.belay.agent.Tokens;
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
                    {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},\
                    "clientInfo":{"name":"test","version":"1"}}}""";

    @TempDir
    static Path folder;

    private Sessions sessions;
    private OutputStream input;
    private BufferedReader output;
    private Thread server;

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
        AgentTools tools = new AgentTools(sessions, AgentSettings.DEFAULT);
        server = Thread.ofPlatform().start(() -> {
            try (InputStream in = Channels.newInputStream(there.source());
                    OutputStream out = Channels.newOutputStream(back.sink())) {
                new StdioServer(in, out).run(new Conversation(tools, folder, "1.2.3"));
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
        assertThat(answer(1).at("/result/structuredContent/output").stringValue()).isEqualTo("on\r\n");
    }

    @Test
    void nothingIsDoneBeforeTheGreeting() throws Exception {
        send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
        assertThat(answer(1).has("result")).isTrue();
        run(2, "echo early");
        assertThat(answer(2).at("/error/message").stringValue()).isEqualTo("Send initialize first.");
        assertThat(sessions.list()).isEmpty();
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
        run(1, "read x");
        send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"list_pty_sessions\"}}");
        assertThat(answer(1).at("/error/message").stringValue()).contains("under way");
        run(2, "echo beside");
        assertThat(answer(2).at("/result/structuredContent/exit_code").intValue()).isZero();
    }

    @Test
    void aCancelledCallIsNotAnsweredAndItsSessionLivesOn() throws Exception {
        greet();
        run(1, "read x");
        send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}");
        send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":77}}");
        run(2, "echo after");
        answer(2);
    }

    @Test
    void theEndOfTheInputEndsAllWaits() throws Exception {
        greet();
        run(1, "read x");
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
    void theListOfToolsIsShortEnoughForAModel() throws Exception {
        greet();
        send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
        JsonNode tools = answer(1).at("/result/tools");
        long tokens = Tokens.exact().count(tools.toString());
        System.out.println("tools/list: " + tokens + " tokens, " + tools.toString().length() + " characters");
        assertThat(tokens).isLessThan(2_500);
        for (JsonNode tool : tools) {
            assertThat(tool.path("inputSchema").path("type").stringValue()).isEqualTo("object");
            assertThat(tool.path("outputSchema").path("required").isEmpty()).as(tool.path("name").stringValue())
                    .isFalse();
        }
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
            if (answer.has("result")) {
                JsonNode content = answer.at("/result/structuredContent");
                assertThat(answer.at("/result/isError").booleanValue()).isTrue();
                assertThat(content.at("/error/code").stringValue()).isNotEmpty();
                for (JsonNode name : schema.path("required")) {
                    assertThat(content.has(name.stringValue())).as("%s in %s", name, content).isTrue();
                }
            } else {
                assertThat(answer.at("/error/code").intValue()).isEqualTo(-32602);
            }
        }
    }
}
