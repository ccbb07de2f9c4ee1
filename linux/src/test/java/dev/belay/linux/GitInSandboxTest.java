package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.Environment;
import dev.belay.Isolation;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.testkit.LeakCheck;
import dev.belay.testkit.Rig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Git works inside of a sandbox, and nothing that a session does there makes Git run a program outside.
@ExtendWith(LeakCheck.class)
@Timeout(300)
class GitInSandboxTest {
    @TempDir
    Path folder = Path.of("");

    private Path workspace = Path.of("");
    private Path canary = Path.of("");
    private @Nullable Sessions opened;

    @BeforeEach
    void makeRepository() throws Exception {
        folder = folder.toRealPath();
        workspace = Files.createDirectories(folder.resolve("workspace"));
        Files.createDirectories(folder.resolve("home"));
        canary = folder.resolve("home/canary");
        opened = Sessions.builder(Sandboxes.host(workspace))
                .state(folder.resolve("state"))
                .environment(new Environment(Map.of("PATH", ProgramLookup.DEFAULT_PATH, "HOME", "/home/somebody")))
                .isolation(Isolation.SANDBOX)
                .build();
        if (Sandboxes.root()) {
            Files.setAttribute(folder.resolve("home"), "unix:uid", Sandboxes.NOBODY);
        }
        outside("git config --global user.name Me; git config --global user.email me@example.com;"
                + " git config --global init.defaultBranch main; git config --global advice.detachedHead false");
    }

    private void repository() throws Exception {
        outside("git init -q; echo 1 > a; git add a; git commit -qm first; git branch other; git remote add origin"
                + " https://example.com/origin.git");
    }

    @AfterEach
    void close() {
        sessions().close();
    }

    private Sessions sessions() {
        return Objects.requireNonNull(opened);
    }

    /// Runs a script in the workspace as its owner, without a sandbox.
    private String outside(String script) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        if (Sandboxes.root()) {
            command.addAll(List.of("setpriv", "--reuid=" + Sandboxes.NOBODY, "--regid=" + Sandboxes.NOBODY,
                    "--clear-groups"));
        }
        command.addAll(List.of("sh", "-c", script));
        ProcessBuilder builder = new ProcessBuilder(command).directory(workspace.toFile()).redirectErrorStream(true);
        builder.environment().put("HOME", folder.resolve("home").toString());
        builder.environment().put("CANARY", canary.toString());
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return said;
    }

    private String inside(String script) throws InterruptedException {
        String identity = "export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=A"
                + " GIT_COMMITTER_EMAIL=a@example.com; git config --global init.defaultBranch main; ";
        Session session = sessions().open(SessionSpec.of("/bin/sh", "-c", identity + script).pipe());
        assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
        String said = session.cursor().drainText(1 << 16).text();
        session.close();
        return said;
    }

    /// What a person does next. Any of it would run a planted program.
    private void nothingRuns() throws Exception {
        outside("git status; git add -A; git commit -qm later; git checkout -q other; git checkout -q main; git"
                + " diff HEAD~1;"
                + " git log -p --all; git stash; git stash pop; git gc -q; git rebase main; git worktree list;"
                + " git remote -v");
        assertThat(canary).doesNotExist();
    }

    private String evil() {
        return "printf '#!/bin/sh\\ntouch " + canary + "\\n' > evil; chmod 755 evil; EVIL=$PWD/evil; ";
    }

    @Test
    void ordinaryWorkWorksAndIsSeenOutside() throws Exception {
        repository();
        String said = inside("set -e; echo 2 >> a; git add -A; git commit -qm second; git checkout -q -b topic;"
                + " echo 3 > b; git add b; git commit -qm third; git checkout -q main; echo 4 > c; git add c;"
                + " git commit -qm fourth; git checkout -q topic; git rebase -q main; git tag v1;"
                + " echo 5 >> a; git stash -q; git stash pop -q; git checkout -q a; git merge -q main; git"
                + " branch -m other old;"
                + " git worktree add -q wt old; git -C wt log --oneline -1; git worktree remove wt; git gc -q;"
                + " git pack-refs --all; git fsck --strict; git reflog -3; git status -sb; echo all fine");
        assertThat(said).contains("all fine").contains("## topic").doesNotContain("error:").doesNotContain("fatal:");
        assertThat(outside("git log --oneline --all --decorate; git branch; git fsck; git status --porcelain"))
                .contains("third").contains("fourth").contains("tag: v1").contains("old").contains("* topic")
                .doesNotContain("error").doesNotContain("??");
        try (Stream<Path> left = Files.list(workspace.resolve(".git"))) {
            assertThat(left.map(one -> one.getFileName().toString())).doesNotContain("commondir", "belay-new");
        }
    }

    @Test
    void branchesOutsideSurviveACollectionInside() throws Exception {
        repository();
        outside("for n in 1 2 3 4 5; do git branch b$n; done");
        inside("git gc -q --prune=now; git pack-refs --all --prune; git branch inside");
        assertThat(outside("git branch; git fsck")).contains("b1", "b5", "inside").doesNotContain("missing");
    }

    @Test
    void newRemotesBranchesAndNamesAreTakenOverAndNothingElse() throws Exception {
        repository();
        String said = inside(evil() + "git remote add fork https://example.com/fork.git; git remote add local $PWD;"
                + " git remote add ext 'ext::sh -c evil'; git config user.name Agent; git config core.fsmonitor"
                + " $EVIL;"
                + " git config core.hooksPath $PWD; git config alias.status '!touch x'; git config core.pager $EVIL;"
                + " git config remote.fork.uploadpack $EVIL; git config remote.origin.url https://evil.example/x;"
                + " git config diff.external $EVIL; git config include.path $PWD/x; git config --unset"
                + " core.fsmonitor;"
                + " git checkout -q -b topic; git config branch.topic.remote fork; git config branch.topic.merge"
                + " refs/heads/topic; git config core.fsmonitor $EVIL; git remote -v; git config --get user.name");
        assertThat(said).contains("fork.git").contains("Agent").doesNotContain("busy");
        String config = outside("git config --local --list");
        assertThat(config)
                .contains("remote.fork.url=https://example.com/fork.git")
                .contains("remote.fork.fetch=+refs/heads/*:refs/remotes/fork/*")
                .contains("branch.topic.remote=fork").contains("branch.topic.merge=refs/heads/topic")
                .contains("user.name=Agent").contains("remote.origin.url=https://example.com/origin.git")
                .doesNotContain("fsmonitor", "hookspath", "alias", "pager", "uploadpack", "evil", "external", "include",
                        "ext::", "remote.local.url");
        nothingRuns();
    }

    @Test
    void noSettingOrHookOfTheRepositoryCanBeChanged() throws Exception {
        repository();
        String said = inside(evil()
                + "echo '[core] fsmonitor = '$EVIL >> .git/config; cp evil .git/hooks/post-checkout; mv .git x;"
                + " mv .git/hooks x; mv .git/config x; ln -sf $PWD/x .git/config; rm -rf .git/hooks .git/info"
                + " .git/config;"
                + " echo '[core] fsmonitor = '$EVIL > .git/config.worktree; echo '* filter=x' > .git/info/attributes;"
                + " mkdir .git/c; cp -r .git/objects .git/refs .git/HEAD .git/config .git/c; echo '[core]"
                + " fsmonitor ='"
                + " $EVIL >> .git/c/config; echo c > .git/commondir; rm -f .git/commondir; mv .git/c/config"
                + " .git/commondir;"
                + " echo /tmp > .git/objects/info/alternates; true");
        assertThat(said).contains("Read-only file system").contains("Device or resource busy");
        nothingRuns();
        assertThat(outside("git log --oneline")).contains("first");
    }

    @Test
    void aRepositoryMadeInsideIsTakenOverWithoutItsSettingsAndHooks() throws Exception {
        Files.writeString(workspace.resolve("mine"), "1");
        String said = inside(
                evil() + "git init -q && git add -A && git commit -qm inside && git log --oneline; git branch other;"
                        + " git remote add origin https://example.com/x.git; git config core.fsmonitor $EVIL; cp evil"
                        + " .git/hooks/post-checkout; cp evil .git/hooks/pre-commit; echo /tmp >"
                        + " .git/objects/info/alternates;"
                        + " echo c > .git/commondir");
        assertThat(said).contains("inside");
        assertThat(outside("git log --oneline --all; git remote -v; git status --porcelain; git fsck; ls -A .git"))
                .contains("inside").contains("https://example.com/x.git").doesNotContain("hooks")
                .doesNotContain("commondir").doesNotContain("belay").doesNotContain("fatal");
        nothingRuns();
        assertThat(inside("git log --oneline")).contains("inside");
    }

    @Test
    void withoutARepositoryNothingIsLeft() throws Exception {
        assertThat(inside("ls -A .git; git status")).contains("not a git repository");
        assertThat(workspace.resolve(".git")).doesNotExist();
    }

    @Test
    void hooksElsewhereThatTheSettingsNameAreProtected() throws Exception {
        repository();
        outside("mkdir -p .githooks; printf '[user]\\n\\tname = Me\\n' > shared.config; git config"
                + " core.hooksPath .githooks;"
                + " git config include.path ../shared.config");
        String said = inside(evil() + "cp evil .githooks/post-checkout; mv .githooks x; echo '[core] fsmonitor"
                + " = '$EVIL"
                + " >> shared.config; mv shared.config x");
        assertThat(said).contains("Read-only file system").contains("busy");
        nothingRuns();
    }

    @Test
    void hooksThatAreALinkAreRefusedWithTheFix() throws Exception {
        repository();
        outside("mkdir hooks; rm -rf .git/hooks; ln -s ../hooks .git/hooks");
        assertThat(catchThrowableOfType(SessionException.class, () -> inside("true")))
                .hasMessageContaining(".git/hooks").hasMessageContaining("is a link to '../hooks'");
    }

    @Test
    void submodulesAndWorktreesAreProtectedToo() throws Exception {
        repository();
        outside("git init -q ~/library; cd ~/library; echo 1 > l; git add l; git commit -qm library");
        outside("git -c protocol.file.allow=always submodule add -q ~/library lib; git commit -qm sub;"
                + " git worktree add -q tree other");
        String said = inside(evil() + "cd lib; echo 2 >> l; git commit -qam inside; cd ..; git -C lib log --oneline;"
                + " git -C tree status -sb; echo '[core] fsmonitor = '$EVIL >> .git/modules/lib/config;"
                + " cp evil .git/modules/lib/hooks/post-checkout; echo '[core] fsmonitor = '$EVIL >"
                + " .git/modules/lib/config.worktree; echo ../../../c > .git/worktrees/tree/commondir; echo c >"
                + " .git/modules/lib/commondir; mv .git/modules/lib x; mv .git/worktrees/tree x; git init -q bad;"
                + " git -C bad config core.fsmonitor $EVIL; echo 'gitdir: ../bad/.git' > lib/.git; rm lib/.git;"
                + " cp -r bad/.git"
                + " lib/.git; mv lib y; echo 'gitdir: ../bad/.git' > tree/.git; rm tree/.git; mv tree z");
        assertThat(said).contains("inside").contains("## other").contains("Read-only file system");
        outside("cd lib; git status; git checkout -q HEAD~1; cd ../tree; git status; git log");
        nothingRuns();
    }

    @Test
    void twoSessionsOfOneRepositoryWorkSideBySide() throws Exception {
        repository();
        Session other = sessions().open(SessionSpec.of("cat"));
        inside("git checkout -q -b one; echo 1 > one; git add one; git commit -qm one");
        assertThat(outside("git log --oneline --all")).contains("one");
        // While the other lives, commondir means the repository itself.
        assertThat(outside("git status -sb; git fsck")).contains("## one").doesNotContain("error");
        other.close();
        assertThat(workspace.resolve(".git/commondir")).doesNotExist();
    }

    /// The workspace's `.git` is a file that names a repository elsewhere.
    @Test
    void aWorkspaceThatIsAWorktreeUsesItsRepositoryAndCannotChangeIt() throws Exception {
        outside("git init -q ~/main; cd ~/main; echo 1 > a; git add a; git commit -qm first; git worktree add -q -b"
                + " other ~/tree; cp -a ~/tree/. " + workspace + "; git worktree remove --force ~/tree; rm -rf"
                + " ~/tree;"
                + " rm -rf " + workspace + "/a " + workspace + "/.git; git worktree add -qf " + workspace + " other");
        assertThat(workspace.resolve(".git")).isRegularFile();
        String said = inside(evil() + "echo 2 >> a; git commit -qam second; git remote add fork"
                + " https://example.com/fork.git; git config core.fsmonitor $EVIL; git log --oneline; D=$(sed"
                + " 's/gitdir: //' .git); cp evil $D/../../hooks/post-checkout; echo '[core] fsmonitor = '$EVIL >>"
                + " $D/../../config; echo x > $D/commondir; echo x > $D/../../commondir; echo 'gitdir: x' > .git");
        assertThat(said).contains("second").contains("Read-only file system");
        assertThat(outside("git log --oneline; git remote -v; cd ~/main; git log --oneline --all; git status;"
                + " ls .git"))
                .contains("second").contains("fork.git").doesNotContain("fatal").doesNotContain("commondir");
        nothingRuns();
    }

    /// A file that a session wrote, or that came with the files, opens no repository that does not know the
    /// workspace.
    @Test
    void aPlantedPointerToARepositoryShowsNothing() throws Exception {
        outside("git init -q ~/main; cd ~/main; echo secret > a; git add a; git commit -qm first; git worktree"
                + " add -q -b"
                + " other ~/tree");
        for (String planted : List.of("home/main/.git/worktrees/tree", "home/main/.git", "home", "nowhere")) {
            Files.deleteIfExists(workspace.resolve(".git"));
            Files.writeString(workspace.resolve(".git"), "gitdir: " + folder.resolve(planted) + "\n");
            assertThat(inside("git log -p; ls " + folder.resolve(planted) + "; echo done")).contains("done")
                    .doesNotContain("secret").doesNotContain("config");
        }
    }

    // --- found by attackers ---

    /// The next session took it for the stand-in of a new repository, and Belay emptied what a link led to.
    @Test
    void aFolderNamedLikeTheStandInChangesNothing() throws Exception {
        repository();
        outside("mkdir -p tools ~/precious/d; echo 1 > ~/precious/x; git config core.hooksPath tools");
        inside("mkdir .git/belay-new");
        String said = inside(evil() + "cp evil tools/post-checkout; mv .git/belay-new .git/old; ln -s "
                + folder.resolve("home/precious") + " .git/belay-new");
        assertThat(said).contains("Read-only file system");
        inside("true");
        assertThat(folder.resolve("home/precious/x")).exists();
        nothingRuns();
    }

    /// One session swaps the stand-in while Belay ends another one.
    @Test
    void whatALinkInTheStandInLeadsToIsNotEmptied() throws Exception {
        outside("mkdir -p ~/precious/d; echo 1 > ~/precious/x");
        Path precious = folder.resolve("home/precious");
        Session other = sessions().open(SessionSpec.of("cat"));
        outside("mv .git/belay-new .git/old; ln -s " + precious + " .git/belay-new; rm -rf .git/old");
        other.close();
        assertThat(precious.resolve("x")).exists();
        outside("rm -rf .git");
    }

    @Test
    void settingsOfRemotesAndBranchesThatExistAreNotTakenOver() throws Exception {
        repository();
        inside("git init -q --bare node_modules/x; git config branch.main.pushRemote node_modules/x; git config"
                + " branch.main.remote node_modules/x; git config remote.origin.pushurl https://evil.example/x;"
                + " git config"
                + " branch.new.remote node_modules/x; git config branch.new.pushRemote x; git config remote.n.pushurl"
                + " https://evil.example/x; git config user.name 'a;touch x;b'; git config remote.a/b.url"
                + " https://h.example/x");
        assertThat(outside("git config --local --list")).doesNotContain("node_modules", "pushurl", "pushremote",
                "touch",
                "a/b");
    }

    /// Names of submodules and worktrees come from files that sessions write.
    @Test
    void whatTheIndexNamesOpensNoProtectedPath() throws Exception {
        repository();
        outside("mkdir -p .claude/hooks; echo ok > .claude/hooks/h.sh; mkdir -p .git/hooks/lib; echo ok >"
                + " .git/hooks/lib/l");
        inside("git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),.claude/hooks; mkdir -p"
                + " .git/worktrees/e; echo $PWD/.claude/hooks/q/.git > .git/worktrees/e/gitdir");
        inside("echo evil > .claude/hooks/h.sh; echo evil > .git/hooks/lib/l; mkdir .claude/hooks/q");
        assertThat(workspace.resolve(".claude/hooks/h.sh")).hasContent("ok");
        assertThat(workspace.resolve(".git/hooks/lib/l")).hasContent("ok");
        assertThat(workspace.resolve(".claude/hooks/q")).doesNotExist();
    }

    @Test
    void submodulesAndWorktreesAreRecognisedWhateverASessionMovesAway() throws Exception {
        repository();
        outside("git init -q ~/library; cd ~/library; echo 1 > l; git add l; git commit -qm library");
        outside("git -c protocol.file.allow=always submodule add -q --name a/b/c/d/e/f/g ~/library deep; git -c"
                + " protocol.file.allow=always submodule add -q ~/library lib; git commit -qm sub; git config"
                + " extensions.worktreeConfig true; git worktree add -q tree other");
        inside("mv .git/modules/lib/HEAD .git/modules/lib/H");
        String said = inside(evil() + "for f in .git/modules/lib/config .git/modules/a/b/c/d/e/f/g/config"
                + " .git/worktrees/tree/config.worktree; do printf '[core]\\n\\tfsmonitor = '$EVIL'\\n' >> $f; done;"
                + " mv .git/modules/lib/H .git/modules/lib/HEAD");
        assertThat(said.split("Read-only file system", -1)).hasSize(4);
        outside("git -C tree status; git -C lib status; git -C deep status");
        nothingRuns();
    }

    @Test
    void hooksAndSettingsThatOtherSettingsNameAreProtected() throws Exception {
        repository();
        outside("mkdir -p tools hooks2 shared; echo '[core]' > tools/cfg; echo '\thooksPath = hooks2' >>"
                + " tools/cfg; echo"
                + " '[include]' >> tools/cfg; echo '\tpath = more' >> tools/cfg; : > tools/more; git config"
                + " include.path"
                + " ../tools/cfg; git config --global core.hooksPath hooks3; mkdir hooks3; printf '#!/bin/sh\\n' >"
                + " shared/pre-commit; chmod 755 shared/pre-commit; ln -s ../../shared/pre-commit"
                + " .git/hooks/pre-commit");
        String said = inside(evil() + "cp evil hooks2/pre-commit; echo '[core] fsmonitor = '$EVIL >>"
                + " tools/more; cp evil"
                + " hooks3/pre-commit; cat evil > shared/pre-commit");
        assertThat(said.split("Read-only file system", -1).length).isGreaterThanOrEqualTo(3);
        nothingRuns();
    }

    /// Git outside would write through them.
    @Test
    void linksThatASessionPutsIntoTheRepositoryAreRemovedAndListed() throws Exception {
        repository();
        outside("echo mine > ~/.profile");
        Session session = sessions().open(SessionSpec.of("/bin/sh", "-c", "rm -f .git/logs/HEAD; ln -s "
                + folder.resolve("home/.profile") + " .git/logs/HEAD; ln -s " + folder.resolve("home/.profile")
                + " .git/COMMIT_EDITMSG2; ln -sf " + folder.resolve("home/.profile") + ""
                + " .git/COMMIT_EDITMSG").pipe());
        assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
        session.close();
        assertThat(Objects.requireNonNull(session.snapshot().guard()).changed())
                .contains(".git/logs/HEAD", ".git/COMMIT_EDITMSG");
        nothingRuns();
        assertThat(folder.resolve("home/.profile")).hasContent("mine");
    }

    /// A mount goes when somebody outside replaces the file below it. Nothing prevents that; it is told.
    @Test
    void aProtectedFileThatSomebodyReplacesMeanwhileIsListed() throws Exception {
        repository();
        Session session = sessions().open(SessionSpec.of("cat"));
        outside("git config some.key value");
        session.close();
        assertThat(Objects.requireNonNull(session.snapshot().guard()).changed()).contains(".git/config");
    }
}
