package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.testkit.DetachContract.Way;
import dev.belay.testkit.Rig;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Processes that detach in the first moment of a session end with the command that they were started through, even if
/// that, or its client, is killed.
class DetachTest extends WithBelay {
    /// On the command line of what is started here, and of nothing else.
    private final String number = Long.toString(ThreadLocalRandom.current().nextLong(1L << 40, 1L << 50));

    @AfterEach
    void nothingIsLeft() throws Exception {
        List<Long> left = Rig.named(number);
        left.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
        assertThat(left).isEmpty();
    }

    /// The daemons that are there. A command line that has the number may be that of Belay or of the leader.
    private List<Long> daemons() throws IOException {
        return Rig.named("sleep\0" + number);
    }

    private void awaitDaemon() throws Exception {
        Eventually.see("a daemon", this::daemons, all -> !all.isEmpty());
    }

    @ParameterizedTest
    @EnumSource
    void runLeavesNothing(Way way) throws Exception {
        for (String mode : List.of("--pipe", "--env=X=1")) {
            Belay.Outcome outcome =
                    belay.run("run", mode, "--", "sh", "-c", "trap '' HUP; " + way.script(number) + "; echo hi");
            assertThat(outcome.code()).isZero();
            assertThat(outcome.out()).isEqualTo("hi\n");
            assertThat(Rig.named(number)).as(mode).isEmpty();
        }
    }

    @Test
    void whatARunLeftThatWasKilledIsEndedByTheNextBelay() throws Exception {
        for (String mode : List.of("--pipe", "--env=X=1")) {
            Process run = belay.start("run", mode, "--", "sh", "-c",
                    "trap '' HUP; " + Way.CLEARED_SESSION.script(number) + "; exec sleep 1000");
            awaitDaemon();
            run.destroyForcibly().waitFor();
            assertThat(daemons()).as("nobody ends it at once").isNotEmpty();
            assertThat(belay.run("run", "--", "true").code()).isZero();
            assertThat(Rig.named(number)).as(mode).isEmpty();
        }
    }

    @Test
    void whatAServerLeftThatWasKilledIsEndedByTheNextOne() throws Exception {
        try (RunningServer server = new RunningServer(belay)) {
            for (Way way : Way.values()) {
                String cmd = ("trap '' HUP; " + way.script(number)).replace("\"", "\\\"");
                assertThat(server.call("POST", "api/sessions", server.token(), "{\"cmd\":\"" + cmd + "\"}"))
                        .startsWith("201 ");
            }
            Eventually.see("all daemons", this::daemons, all -> all.size() == Way.values().length);
        }
        assertThat(daemons()).hasSize(Way.values().length);
        try (RunningServer next = new RunningServer(belay)) {
            assertThat(Rig.named(number)).isEmpty();
            assertThat(next.call("GET", "api/health", next.token(), ""))
                    .contains("\"orphans_ended\":" + Way.values().length);
            next.end();
        }
    }

    @Test
    void whatASessionOfAnAgentLeftEndsWithItsClient() throws Exception {
        Process mcp = belay.start("mcp");
        try (OutputStream input = mcp.getOutputStream()) {
            send(input, 1, "initialize", "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}");
            int id = 2;
            for (Way way : Way.values()) {
                String cmd = ("trap '' HUP; " + way.script(number)).replace("\"", "\\\"");
                for (boolean tty : new boolean[] {false, true}) {
                    send(input, id++, "tools/call", "{\"name\":\"unified_exec\",\"arguments\":{\"cmd\":\"" + cmd
                            + "\",\"tty\":" + tty + "}}");
                }
            }
            Eventually.see("all daemons", this::daemons, all -> all.size() == 2 * Way.values().length);
        }
        // The kernel closes the pipe of a client that is killed.
        assertThat(mcp.waitFor(Belay.PATIENCE_SECONDS, TimeUnit.SECONDS)).as("it ends").isTrue();
        assertThat(Rig.named(number)).isEmpty();
    }

    private static void send(OutputStream to, int id, String method, String params) throws IOException {
        String message =
                "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}\n";
        to.write(message.getBytes(StandardCharsets.UTF_8));
        to.flush();
    }
}
