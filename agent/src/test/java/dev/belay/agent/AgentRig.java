package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Environment;
import dev.belay.ErrorCode;
import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.SessionObserver;
import dev.belay.SessionRecord;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.access.Gate;
import dev.belay.linux.LinuxHost;
import dev.belay.screens.Screens;
import dev.belay.testkit.LeakCheck;
import dev.belay.testkit.Rig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// What the tests of the tools stand on: real sessions in a workspace and a state folder of their own. After each test
/// nothing is left of them: no permit, no process, no call, no descriptor, child or thread.
@ExtendWith(LeakCheck.class)
@Timeout(300)
abstract class AgentRig {
    /// Longer than any test takes: a call that returns has not waited for it to pass.
    static final int LONG = 50_000;
    static final AgentSettings SETTINGS = AgentSettings.DEFAULT.shell("/bin/bash");

    @TempDir
    Path folder = Path.of("");

    final List<AgentTools> all = new ArrayList<>();
    /// The ids of sessions that have exited. To wait for an exit at a session would be activity in it.
    final BlockingQueue<String> exits = new LinkedBlockingQueue<>();
    Path workspace = Path.of("");
    Sessions sessions;
    Screens screens;
    AgentTools tools;

    @BeforeEach
    void makeSessions() throws IOException {
        workspace = Files.createDirectories(folder.toRealPath().resolve("workspace"));
        sessions = Sessions.builder(LinuxHost.at(workspace))
                .state(folder.resolve("state"))
                // A home of its own: shells read the profile there.
                .environment(Environment.basic(System.getenv()).with(Map.of("HOME", folder.toString())))
                .limits(Limits.DEFAULT.maxSessions(64).maxRetained(1000))
                .observer(new SessionObserver() {
                    @Override
                    public void exited(SessionRecord session) {
                        exits.add(session.id());
                    }
                })
                .build();
        screens = new Screens(sessions);
        tools = tools(SETTINGS);
    }

    @AfterEach
    void closeSessions() throws IOException {
        screens.close();
        sessions.close();
        assertThat(sessions.stats().permitsUsed()).as("permits").isZero();
        assertThat(Rig.marked(sessions.instance() + "/")).as("processes").isEmpty();
        assertThat(all).allSatisfy(each -> assertThat(each.callsUnderWay()).as("calls").isZero());
    }

    AgentTools tools(AgentSettings settings) {
        AgentTools made = tools("agent", settings);
        all.add(made);
        return made;
    }

    /// Tools of an agent of that name.
    AgentTools tools(String name, AgentSettings settings) {
        return new AgentTools(
                Gate.forOneAgent(sessions, name, settings::maxSessions), screens, () -> settings, new CallTurns());
    }

    /// Runs a command to its end.
    ExecResult run(String cmd) throws InterruptedException {
        return exited(tools.unifiedExec(ExecRequest.of(cmd).waitFor(WaitFor.exited())));
    }

    /// Starts a command and waits until it has printed something.
    ExecResult start(String cmd, String regex) throws InterruptedException {
        return start(ExecRequest.of(cmd), regex);
    }

    ExecResult start(ExecRequest request, String regex) throws InterruptedException {
        ExecResult result = tools.unifiedExec(request.waitFor(WaitFor.match(regex)));
        assertThat(result.waitResult()).as("%s", result).isEqualTo("match");
        return result;
    }

    /// Types and waits until something is printed.
    ExecResult type(String id, String chars, String regex) throws InterruptedException {
        return type(WriteRequest.to(id, chars), regex);
    }

    ExecResult type(WriteRequest request, String regex) throws InterruptedException {
        ExecResult result = tools.writeStdin(request.waitFor(WaitFor.match(regex)));
        assertThat(result.waitResult()).as("%s", result).isEqualTo("match");
        return result;
    }

    ExecResult awaitExit(String id) throws InterruptedException {
        return exited(tools.writeStdin(WriteRequest.to(id, "").waitFor(WaitFor.exited())));
    }

    static ExecResult exited(ExecResult result) {
        assertThat(result.success()).as("%s", result).isTrue();
        assertThat(result.waitResult()).as("%s", result).isEqualTo("exit");
        assertThat(result.running()).as("%s", result).isFalse();
        return result;
    }

    static ToolError refused(ExecResult result, ErrorCode code) {
        assertThat(result.success()).as("%s", result).isFalse();
        assertThat(result.error().code()).as("%s", result).isEqualTo(code);
        return result.error();
    }

    /// A log that holds these bytes, and nothing will be added to it.
    Session printing(byte[] bytes) throws IOException, InterruptedException {
        Path file = Files.createTempFile(workspace, "bytes", "");
        Files.write(file, bytes);
        Session session = sessions.open(SessionSpec.of("cat", file.toString()).pipe());
        assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
        assertThat(session.drained()).isTrue();
        assertThat(session.output().end()).isEqualTo(bytes.length);
        return session;
    }

    /// The `read_output` call that a truncated output names.
    static ReadRequest named(String output) {
        Matcher call = Pattern.compile(
                "(?m)^\\[Output truncated\\] (\\d+) bytes .*read_output\\(session_id=\"([^\"]+)\", from=(\\d+)\\)")
                .matcher(output);
        assertThat(call.find()).as(output).isTrue();
        return ReadRequest.from(call.group(2), Long.parseLong(call.group(3)));
    }

    /// Reads on from a place by `next`, until a place is reached or there is no more.
    String pages(ReadRequest request, long to) {
        StringBuilder text = new StringBuilder();
        OutputResult page = tools.readOutput(request);
        while (true) {
            assertThat(page.success()).as("%s", page).isTrue();
            text.append(page.output());
            if (page.next() >= to) {
                return text.toString();
            }
            assertThat(page.next()).as("a page gets on").isGreaterThan(page.outputStart());
            page = tools.readOutput(ReadRequest.from(request.sessionId(), page.next())
                    .maxOutputTokens(request.maxOutputTokens()));
        }
    }
}
