package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.SessionException;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Which commands may be started.
class PolicyTest {
    private static Policy.Decision decide(String command, Rule... rules) {
        return Policy.of(List.of(rules)).decide(CommandText.parse(command), ".");
    }

    private static Rule deny(String name, String... programs) {
        return Rule.of(name, false, List.of(programs), null);
    }

    @Test
    void whatNoRuleFitsIsAllowed() {
        assertThat(decide("ls -l").allowed()).isTrue();
        assertThat(decide("ls -l", deny("no-rm", "rm")).allowed()).isTrue();
        assertThat(Policy.ALLOW_ALL.decide(CommandText.parse("rm -rf /"), ".").allowed()).isTrue();
    }

    @Test
    void aDeniedProgramIsFoundWhereverItStands() {
        for (String command : List.of(
                "rm x",
                "/bin/rm x",
                "ls; rm x",
                "echo $(rm x)",
                "sudo -u root rm x",
                "env A=b rm x",
                "bash -lc 'ls && rm x'",
                "true | xargs rm",
                "if true; then rm x; fi",
                "r''m x")) {
            assertThat(decide(command, deny("no-rm", "rm")))
                    .as(command)
                    .isEqualTo(new Policy.Decision(false, "no-rm"));
        }
        assertThat(decide("cat > notes <<'E'\nrm x\nE", deny("no-rm", "rm")).allowed()).isTrue();
        assertThat(decide("echo rm", deny("no-rm", "rm")).allowed()).isTrue();
    }

    @Test
    void aWrapperCanBeDeniedItself() {
        assertThat(decide("sudo ls", deny("no-sudo", "sudo", "doas")).rule()).isEqualTo("no-sudo");
        assertThat(decide("ls; sudo -n ls", deny("no-sudo", "sudo")).allowed()).isFalse();
    }

    @Test
    void theFirstRuleThatFitsDecides() {
        Rule pushes = Rule.of("no-push", false, List.of("git"), "^git push\\b");
        Rule dry = Rule.of("dry-push", true, List.of("git"), "push --dry-run");
        assertThat(decide("git push origin", pushes).rule()).isEqualTo("no-push");
        assertThat(decide("git status", pushes).allowed()).isTrue();
        assertThat(decide("git push --dry-run", dry, pushes).allowed()).isTrue();
        assertThat(decide("git push --dry-run; git push", dry, pushes).rule()).isEqualTo("no-push");
        assertThat(decide("git push --dry-run", pushes, dry).allowed()).isFalse();
    }

    @Test
    void aRuleThatMakesNoSenseIsRefused() {
        assertThatThrownBy(() -> Rule.of("odd", false, List.of(), "(")).isInstanceOf(SessionException.class)
                .hasMessageContaining("'odd'");
        assertThatThrownBy(() -> Rule.of("all", false, List.of(), null)).isInstanceOf(SessionException.class)
                .hasMessageContaining("'all'");
    }

    @Test
    void theDocumentedRuleSeesEveryWayToCallTheProgram() {
        Policy policy = Policy.of(List.of(Rule.of("no-push", false, List.of("git"), "\\spush(\\s|$)")));
        for (String cmd : List.of("git push", "git -C repo push", "/usr/bin/git push origin", "sudo git push -f",
                "cd x && git -c a=b push")) {
            assertThat(policy.decide(CommandText.parse(cmd), ".").allowed()).as(cmd).isFalse();
        }
        assertThat(policy.decide(CommandText.parse("git status; git log --oneline"), ".").allowed()).isTrue();
    }
}
