package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.ExecPolicy.Action;
import dev.belay.ExecPolicy.Verdict;
import dev.belay.Execution;
import dev.belay.Execution.Image;
import dev.belay.SessionException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExecRulesTest {
    private static final Rule ALLOW_GIT = Rule.of("git", Action.ALLOW, List.of("git"), null);
    private static final Rule ASK_PUSH = Rule.of(
            "publish", Action.ASK, List.of("git"), null, List.of(), List.of("push"), null, List.of());

    private static Image image(String program, String... words) {
        return new Image(program, true, false, List.of(words), true);
    }

    private static Execution of(Image... images) {
        return new Execution(1, List.of(images), "/srv/project/src", false);
    }

    private static Verdict judge(Action otherwise, Execution execution, Rule... rules) {
        return new ExecRules(List.of(rules), otherwise).judge("ada", execution);
    }

    @Test
    void theFirstRuleThatFitsDecides() {
        Execution push = of(image("/usr/bin/git", "git", "-C", "x", "push"));
        assertThat(judge(Action.DENY, push, ASK_PUSH, ALLOW_GIT)).isEqualTo(new Verdict(Action.ASK, "publish", true));
        assertThat(judge(Action.DENY, push, ALLOW_GIT, ASK_PUSH).action()).isEqualTo(Action.ALLOW);
        assertThat(judge(Action.DENY, of(image("/usr/bin/git", "git", "log")), ASK_PUSH, ALLOW_GIT).action())
                .isEqualTo(Action.ALLOW);
        assertThat(judge(Action.ALLOW, of(image("/usr/bin/id", "id")), ASK_PUSH)).isEqualTo(Verdict.ALLOWED);
    }

    @Test
    void aBareNameAllowsNoFileThatTheSessionMayChange() {
        Image copy = new Image("/srv/project/git", true, true, List.of("git", "log"), true);
        assertThat(judge(Action.DENY, of(copy), ALLOW_GIT).action()).isEqualTo(Action.DENY);
        Rule byPath = Rule.of("own", Action.ALLOW, List.of("/srv/project/git"), null);
        assertThat(judge(Action.DENY, of(copy), byPath).action()).isEqualTo(Action.ALLOW);
    }

    @Test
    void noAllowFitsForeignLibrariesOrFilesWithoutAName() {
        Execution preloaded = new Execution(1, List.of(image("/usr/bin/git", "git")), "/", true);
        assertThat(judge(Action.DENY, preloaded, ALLOW_GIT).action()).isEqualTo(Action.DENY);
        Image memory = new Image("/memfd:git", false, true, List.of("git"), true);
        assertThat(judge(Action.DENY, of(memory), ALLOW_GIT).action()).isEqualTo(Action.DENY);
        assertThat(judge(Action.ALLOW, of(memory), ASK_PUSH).action()).isEqualTo(Action.ASK);
    }

    @Test
    void otherNamesAndLinksDoNotEvadeADenial() {
        Rule deny = Rule.of("no-git", Action.DENY, List.of("git"), null);
        assertThat(judge(Action.ALLOW, of(image("/usr/bin/git", "x")), deny).action()).isEqualTo(Action.DENY);
        assertThat(judge(Action.ALLOW, of(image("/usr/lib/all", "/bin/git")), deny).action()).isEqualTo(Action.DENY);
    }

    @Test
    void ofAScriptAndItsInterpreterTheStricterHolds() {
        Rule deny = Rule.of("no-perl", Action.DENY, List.of("perl"), null);
        Execution script = of(image("/srv/x", "./x"), image("/usr/bin/perl", "perl", "./x"));
        assertThat(judge(Action.ALLOW, script, deny)).isEqualTo(new Verdict(Action.DENY, "no-perl"));
    }

    @Test
    void wordsBeyondTheBoundCountAsSuspect() {
        Image cut = new Image("/usr/bin/git", true, false, List.of("git", "a"), false);
        assertThat(judge(Action.ALLOW, of(cut), ASK_PUSH).action()).isEqualTo(Action.ASK);
        Rule log = Rule.of("log", Action.ALLOW, List.of("git"), "^git a$");
        assertThat(judge(Action.DENY, of(cut), log).action()).isEqualTo(Action.DENY);
    }

    @Test
    void argumentsFoldersAndPrincipalsNarrowARule() {
        Rule status = Rule.of(
                "status", Action.ALLOW, List.of("git"), null, List.of("status"), List.of(), "/srv/project",
                List.of("ada"));
        Execution fits = of(image("/usr/bin/git", "git", "status", "-s"));
        assertThat(judge(Action.DENY, fits, status).action()).isEqualTo(Action.ALLOW);
        assertThat(judge(Action.DENY, of(image("/usr/bin/git", "git", "-s", "status")), status).action())
                .isEqualTo(Action.DENY);
        assertThat(new ExecRules(List.of(status), Action.DENY).judge("bob", fits).action()).isEqualTo(Action.DENY);
        Execution elsewhere = new Execution(1, fits.images(), "/srv/projects", false);
        assertThat(judge(Action.DENY, elsewhere, status).action()).isEqualTo(Action.DENY);
    }

    @Test
    void rulesThatCannotBeMeantAreRefused() {
        assertThatThrownBy(() -> Rule.of(
                "a", Action.ALLOW, List.of("git"), null, List.of(), List.of("log"), null, List.of()))
                .isInstanceOf(SessionException.class).hasMessageContaining("args");
        assertThatThrownBy(() -> Rule.of(
                "a", Action.DENY, List.of("git"), null, List.of(), List.of(), "src", List.of()))
                .isInstanceOf(SessionException.class).hasMessageContaining("absolute");
    }

    @Test
    void aRuleThatAsksDeniesTextWhereNobodyIsAsked() {
        CommandText push = CommandText.parse("cd x && git push");
        assertThat(Policy.of(List.of(ASK_PUSH), false).decide(push, ".").allowed()).isFalse();
        assertThat(Policy.of(List.of(ASK_PUSH), true).decide(push, ".").allowed()).isTrue();
    }
}
