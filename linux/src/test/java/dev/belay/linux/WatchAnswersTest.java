package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.Approval;
import dev.belay.Approval.Answer;
import dev.belay.Approval.Scope;
import dev.belay.ErrorCode;
import dev.belay.Guard;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What an answer applies to, with real processes.
@Tag("any-user")
class WatchAnswersTest extends WatchRig {
    private static final Answer SESSION = new Answer(true, Scope.SESSION, null);
    private static final Answer WORKSPACE = new Answer(true, Scope.WORKSPACE, null);

    private Session of(String owner, String script) {
        return sessions().open(SessionSpec.of("/bin/sh", "-c", script).pipe().owner(owner)
                .guard(Guard.NONE.watched(true)));
    }

    private void allow(Answer answer) throws InterruptedException {
        approvals().answer(question().id(), "ada", answer);
        next(closed);
    }

    @Test
    void anotherFolderIsAnotherQuestion() throws Exception {
        Session session = watched("/bin/sh", "-c", "uname -s; uname -s; cd /usr; uname -s");
        allow(SESSION);
        Approval second = question();
        assertThat(second.workdir()).isEqualTo("/usr");
        approvals().answer(second.id(), "ada", Answer.DENY);
        assertThat(output(session)).startsWith("Linux\nLinux\n").doesNotEndWith("Linux\n");
    }

    @Test
    void variablesThatSteerTheProgramMakeItAnotherQuestion() throws Exception {
        Session session = watched("/bin/sh", "-c", "uname -s; GIT_SSH_COMMAND=evil uname -s; uname -s;"
                + " harmless=1 uname -s; https_proxy=http://evil uname -s; PATH=/evil:$PATH uname -s; echo end");
        assertThat(question().variables()).isEmpty();
        allow(SESSION);
        for (String name : new String[] {"GIT_SSH_COMMAND", "https_proxy", "PATH"}) {
            Approval asked = question();
            assertThat(asked.variables()).containsExactly(name);
            approvals().answer(asked.id(), "ada", SESSION);
            next(closed);
        }
        assertThat(output(session)).isEqualTo("Linux\n".repeat(6) + "end\n");
    }

    @Test
    void aSessionThatBeginsWithOtherVariablesIsAskedAgain() throws Exception {
        output(answered(of("ada", "uname -s")));
        assertThat(output(of("ada", "uname -s"))).isEqualTo("Linux\n");
        Session steered = sessions().open(SessionSpec.of("/bin/sh", "-c", "uname -s").pipe().owner("ada")
                .env("GIT_SSH_COMMAND", "evil").guard(Guard.NONE.watched(true)));
        approvals().answer(question().id(), "ada", Answer.DENY);
        assertThat(output(steered)).doesNotContain("Linux");
    }

    private Session answered(Session session) throws InterruptedException {
        allow(WORKSPACE);
        return session;
    }

    @Test
    void anAnswerForTheWorkspaceCountsForItsOwnerOnly() throws Exception {
        output(answered(of("ada", "uname -s")));
        Session other = of("bob", "uname -s || echo no");
        Approval asked = question();
        assertThat(asked.owner()).isEqualTo("bob");
        approvals().answer(asked.id(), "carol", Answer.DENY);
        assertThat(output(other)).endsWith("no\n");
        assertThat(output(of("ada", "uname -s"))).isEqualTo("Linux\n");
        assertThat(Files.readString(folder.resolve("state/approvals.txt")))
                .matches("\\S+ allow exact owner=ada folder=\\S+/workspace variables=[0-9a-f]{32}"
                        + " /\\S+/uname uname -s\n");
    }

    /// Earlier versions wrote neither owner nor folder.
    @Test
    void aLineWithoutAnOwnerStaysButCountsForNobody() throws Exception {
        String old = folder.resolve("workspace") + " allow prefix /usr/bin/uname uname\n";
        Files.writeString(folder.resolve("state/approvals.txt"), old);
        Session session = of("ada", "uname -s");
        allow(WORKSPACE);
        assertThat(output(session)).isEqualTo("Linux\n");
        assertThat(Files.readString(folder.resolve("state/approvals.txt"))).startsWith(old).hasLineCount(2);
    }

    private Session in(String conversation, String script) {
        return sessions().open(SessionSpec.of("/bin/sh", "-c", script).pipe().owner("ada")
                .guard(Guard.NONE.watched(true).conversation(conversation)));
    }

    @Test
    void anAnswerForAConversationHoldsForItsNextSessionsUntilItEnds() throws Exception {
        Session first = in("one", "uname -s");
        assertThat(question().scopes())
                .containsExactly(Scope.ONCE, Scope.SESSION, Scope.CONVERSATION, Scope.WORKSPACE);
        allow(new Answer(true, Scope.CONVERSATION, null));
        assertThat(output(first)).isEqualTo("Linux\n");
        assertThat(output(in("one", "uname -s"))).isEqualTo("Linux\n");
        Session other = in("two", "uname -s");
        allow(Answer.ALLOW);
        assertThat(output(other)).isEqualTo("Linux\n");
        approvals().forget("one");
        Session later = in("one", "uname -s");
        allow(Answer.ALLOW);
        assertThat(output(later)).isEqualTo("Linux\n");
        assertThat(folder.resolve("state/approvals.txt")).doesNotExist();
    }

    @Test
    void whereThereIsNoConversationTheScopeIsRefused() throws Exception {
        Session session = of("ada", "uname -s");
        Approval asked = question();
        assertThat(asked.scopes()).containsExactly(Scope.ONCE, Scope.SESSION, Scope.WORKSPACE);
        SessionException refused = catchThrowableOfType(SessionException.class,
                () -> approvals().answer(asked.id(), "ada", new Answer(true, Scope.CONVERSATION, null)));
        assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(refused).hasMessageContaining("belongs to no agent's conversation");
        approvals().answer(asked.id(), "ada", Answer.DENY);
        output(session);
    }

    @Test
    void whereTheFileMayBeChangedOnlyOnceIsPossible() throws Exception {
        Files.copy(java.nio.file.Path.of("/usr/bin/uname"), folder.resolve("workspace/uname"));
        Session session = watched("/bin/sh", "-c", "./uname -s");
        String id = question().id();
        assertThat(question().scopes()).containsExactly(Scope.ONCE);
        assertThat(catchThrowableOfType(SessionException.class, () -> approvals().answer(id, "ada", SESSION)).code())
                .isEqualTo(ErrorCode.INVALID_REQUEST);
        approvals().answer(id, "ada", Answer.ALLOW);
        assertThat(output(session)).isEqualTo("Linux\n");
    }
}
