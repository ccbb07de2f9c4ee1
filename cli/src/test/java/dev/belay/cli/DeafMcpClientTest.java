package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// `belay mcp` with a client that reads no answer, and goes.
class DeafMcpClientTest extends WithBelay {
    private Process mcp;
    private OutputStream input;

    @BeforeEach
    void aClientWithASession() throws Exception {
        mcp = belay.start("mcp");
        input = mcp.getOutputStream();
        send("initialize", "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}");
        call("sleep 4711", "");
        Eventually.see("a session", belay::processes, all -> all.stream().anyMatch(one -> one.contains("sleep 4711")));
    }

    @AfterEach
    void kill() throws Exception {
        mcp.destroyForcibly().waitFor();
    }

    private int id;

    private void send(String method, String params) throws Exception {
        input.write(
                ("{\"jsonrpc\":\"2.0\",\"id\":" + ++id + ",\"method\":\"" + method + "\",\"params\":" + params + "}\n")
                        .getBytes(StandardCharsets.UTF_8));
        input.flush();
    }

    private void call(String cmd, String more) throws Exception {
        send("tools/call",
                "{\"name\":\"unified_exec\",\"arguments\":{\"cmd\":\"" + cmd + "\",\"tty\":false" + more + "}}");
    }

    private void goes() throws Exception {
        input.close();
        assertThat(mcp.waitFor(Belay.PATIENCE_SECONDS, TimeUnit.SECONDS)).as("it ends").isTrue();
        assertThat(mcp.exitValue()).isZero();
        assertThat(belay.processes()).isEmpty();
        assertThat(belay.leftFiles()).isEmpty();
    }

    @Test
    void itEndsWhenTheAnswerOfACallIsNotTaken() throws Exception {
        call("head -c 300000 /dev/zero | tr '\\\\0' x",
                ",\"max_output_tokens\":1000000,\"wait_for\":{\"exit\":true}");
        // More than a pipe holds: from its first byte on the rest of it waits.
        Eventually.see("an answer", mcp.getInputStream()::available, bytes -> bytes > 4_000);
        goes();
    }

    @Test
    void itEndsWhenNoAnswerOfManyIsTaken() throws Exception {
        for (int i = 0; i < 400; i++) {
            send("tools/list", "{}");
        }
        goes();
    }
}
