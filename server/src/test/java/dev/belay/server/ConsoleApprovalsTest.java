package dev.belay.server;

import dev.belay.Approvals;
import dev.belay.ExecPolicy.Action;
import dev.belay.Origin;
import dev.belay.agent.ExecRules;
import dev.belay.agent.Rule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Approvals in the web console, in a real browser.
@Tag("any-user")
@Tag("slow")
class ConsoleApprovalsTest extends WithServer {
    @Test
    void questionsAreAnsweredOnTheWallInTheSessionAndElsewhere() throws Exception {
        List<Rule> rules = List.of(
                Rule.of("machine", Action.ASK, List.of("uname"), null),
                Rule.of("never", Action.DENY, List.of("arch"), null));
        sessions.approvals().settings(new Approvals.Settings(
                Set.of(Origin.API), new ExecRules(rules, Action.ALLOW), Duration.ofMinutes(5), 32));
        String tokens = "{\"admin\": \"%s\", \"alice\": \"%s\"}".formatted(ADMIN, ALICE);
        Node.run(Path.of("../console"), "browser/run.js", "approvals", server.address(), tokens);
    }
}
