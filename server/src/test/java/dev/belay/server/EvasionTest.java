package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Approval;
import dev.belay.ApprovalListener;
import dev.belay.Approvals;
import dev.belay.Environment;
import dev.belay.ExecPolicy.Action;
import dev.belay.Guard;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.agent.ExecRules;
import dev.belay.agent.ReadyRules;
import dev.belay.agent.Rule;
import dev.belay.linux.LinuxHost;
import dev.belay.testkit.LeakCheck;
import dev.belay.testkit.Rig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Ways around a rule, with stock shells and Python: the forbidden program is `arch`, which prints the machine's kind.
@ExtendWith(LeakCheck.class)
@Timeout(120)
class EvasionTest {
    private static final String MACHINE = machine();

    @TempDir
    Path folder;

    private Sessions sessions;
    private final LinkedBlockingQueue<Approval> refused = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<Approval> asked = new LinkedBlockingQueue<>();

    private static String machine() {
        String arch = System.getProperty("os.arch");
        return arch.equals("amd64") ? "x86_64" : arch;
    }

    @BeforeEach
    void open() throws IOException {
        folder = folder.toRealPath();
        Path workspace = Files.createDirectories(folder.resolve("workspace"));
        sessions = Sessions.builder(LinuxHost.at(workspace))
                .state(folder.resolve("state"))
                .environment(new Environment(Map.of("PATH", "/usr/local/bin:/usr/bin:/bin", "HOME", "/tmp")))
                .build();
        sessions.approvals().addListener(new ApprovalListener() {
            @Override
            public void asked(Approval approval) {
                asked.add(approval);
                sessions.approvals().answer(approval.id(), "ada", Approval.Answer.ALLOW);
            }

            @Override
            public void denied(Approval approval) {
                refused.add(approval);
            }
        });
    }

    @AfterEach
    void close() {
        sessions.close();
    }

    private void rules(Action otherwise, Rule... rules) {
        sessions.approvals().settings(new Approvals.Settings(
                Set.of(), new ExecRules(List.of(rules), otherwise), Duration.ofMinutes(5), 32));
    }

    private String run(String script) throws InterruptedException {
        return run("/bin/sh", "-c", script);
    }

    private String run(String... command) throws InterruptedException {
        try (Session session = sessions.open(
                SessionSpec.of(command).pipe().guard(Guard.NONE.watched(true)))) {
            assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
            return session.cursor().drainText(1 << 16).text();
        }
    }

    /// A rule that denies holds for whatever makes the call, by whatever name.
    @ParameterizedTest
    @ValueSource(strings = {
            "true; arch",
            "echo $(arch)",
            "echo `/usr/bin/arch`",
            "env arch",
            "env -i /usr/bin/arch",
            "echo | xargs arch",
            "find . -maxdepth 0 -exec arch ';'",
            "setsid -w arch",
            "sh -c 'exec arch'",
            "printf 'all:\\n\\t@arch\\n' > Makefile; make -s",
            "ln -s /usr/bin/arch innocent; ./innocent",
            "printf '#!/usr/bin/arch\\n' > script; chmod +x script; ./script",
            "printf '#!/usr/bin/env arch\\n' > script; chmod +x script; ./script",
            "$(ls /lib*/ld-linux*.so.* | head -n 1) /usr/bin/arch",
            "$(ls /lib*/ld-linux*.so.* | head -n 1) --argv0 x /usr/bin/arch",
            "cd /usr/bin; ./arch",
            "python3 -c \"import os; os.waitpid(os.posix_spawn('/usr/bin/arch', ['x'], {}), 0)\"",
            "python3 -c \"import os; os.execv('/usr/bin/arch', ['innocent'])\"",
            "python3 -c \"import os; os.execve(os.open('/usr/bin/arch', os.O_RDONLY), ['x'], {})\"",
            "python3 -c \"import os; fd = os.open('/usr/bin/arch', 0); os.execv('/proc/self/fd/%d' % fd, ['x'])\"",
            "python3 -c \"import os; fd = os.open('/usr/bin/arch', 0); os.execv('/dev/fd/%d' % fd, ['x'])\"",
            "python3 -c \"import threading, os; threading.Thread(target=os.execv, args=('/bin/arch', ['x'])).start()\"",
    })
    void aDenialHolds(String script) throws Exception {
        rules(Action.ALLOW, Rule.of("no-arch", Action.DENY, List.of("arch"), null));
        assertThat(run(script)).doesNotContain(MACHINE);
        assertThat(refused).anyMatch(approval -> "no-arch".equals(approval.rule()));
    }

    @Test
    void callsOf32BitProgramsAreSeen() throws Exception {
        rules(Action.ALLOW, Rule.of("no-arch", Action.DENY, List.of("arch"), null));
        if (!MACHINE.equals("x86_64")) {
            return;
        }
        Path workspace = sessions.workspace();
        Files.writeString(workspace.resolve("old.c"), """
                static char path[] = "/usr/bin/arch", *words[] = {path, 0};
                static unsigned narrow[2];
                int main(void) {
                    narrow[0] = (unsigned)(unsigned long) path;
                    long result;
                    __asm__ volatile("int $0x80" : "=a"(result) : "a"(11), "b"(path), "c"(narrow), "d"(0) : "memory");
                    return words[0] ? (int) -result : 0;
                }
                """);
        assertThat(run("gcc -static -no-pie -o old old.c && ./old; echo status $?")).doesNotContain(MACHINE)
                .contains("status 1");
        assertThat(refused).isNotEmpty();
    }

    @Test
    void aWordBehindManyOthersIsSeen() throws Exception {
        rules(Action.ALLOW, Rule.of(
                "no-machine", Action.DENY, List.of("uname"), null, List.of(), List.of("-m"), null, List.of()));
        assertThat(run("python3 -c \"import os; os.execv('/usr/bin/uname', ['uname'] + ['-s'] * 40000 + ['-m'])\""))
                .doesNotContain(MACHINE);
        assertThat(refused).isNotEmpty();
        assertThat(run("uname -s")).isEqualTo("Linux\n");
    }

    /// Where only what is listed may start, a name is not enough.
    @ParameterizedTest
    @ValueSource(strings = {
            "cp /usr/bin/arch ./id; ./id",
            "cp /usr/bin/arch ./id; PATH=.:$PATH id",
            "arch",
            "LD_PRELOAD=libm.so.6 id -u && arch",
            "python3 -c \"import os; fd = os.memfd_create('id'); os.write(fd, open('/usr/bin/arch', 'rb').read());"
                    + " os.execve(fd, ['id'], {})\"",
            "cp /usr/bin/arch ./gone; python3 -c \"import os; fd = os.open('gone', 0); os.unlink('gone');"
                    + " os.execve(fd, ['id'], {})\"",
            "$(ls /lib*/ld-linux*.so.* | head -n 1) /usr/bin/id",
            "d=/tmp/belay-evasion-$$; mkdir -p $d/e; cp /usr/bin/arch $d/e/id; chmod 555 $d/e/id $d/e; $d/e/id;"
                    + " chmod 755 $d/e; rm -rf $d",
    })
    void aListOfAllowedProgramsHolds(String script) throws Exception {
        List<String> names = new ArrayList<>(List.of(
                "sh", "dash", "bash", "id", "cp", "ls", "head", "mkdir", "chmod", "rm"));
        try (var files = Files.list(Path.of("/usr/bin"))) {
            files.map(file -> file.getFileName().toString()).filter(name -> name.startsWith("python3"))
                    .forEach(names::add);
        }
        rules(Action.DENY, Rule.of("listed", Action.ALLOW, names, null));
        assertThat(run("id -u")).matches("\\d+\n");
        assertThat(run(script)).doesNotContain(MACHINE);
        assertThat(refused).isNotEmpty();
    }

    /// What a list of denials cannot hold, and SECURITY.md says so: a copy has another name, and a built-in starts
    /// nothing.
    @Test
    void copiesAndBuiltInsPassAListOfDenials() throws Exception {
        rules(Action.ALLOW, Rule.of("no-arch", Action.DENY, List.of("arch", "echo"), null));
        assertThat(run("cp /usr/bin/arch ./copy; ./copy; echo built-in")).contains(MACHINE).contains("built-in");
    }

    /// A file without a name is asked about even if everything else may start.
    @Test
    void aFileWithoutANameIsAskedAbout() throws Exception {
        rules(Action.ALLOW, Rule.of("no-arch", Action.DENY, List.of("arch"), null));
        assertThat(run("python3 -c \"import os; fd = os.memfd_create('x');"
                + " os.write(fd, open('/usr/bin/arch', 'rb').read()); os.execve(fd, ['x'], {})\""))
                .doesNotContain(MACHINE);
        assertThat(refused).anyMatch(approval -> approval.state() == Approval.State.REFUSED);
    }

    // --- ready rules ---

    private void ready(ReadyRules ready, Action action) {
        rules(Action.ALLOW, ready.rules(ready.label(), action, null, List.of()).toArray(Rule[]::new));
    }

    /// With the real git, npm, Python and tools, and a stand-in for programs that may not be there.
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "PUBLISH | git push",
            "PUBLISH | git -C . -c x.y='a b' push origin main",
            "PUBLISH | git -c alias.innocent=push innocent",
            "PUBLISH | /usr/lib/git-core/git-push origin main",
            "PUBLISH | $(git --exec-path)/git push",
            "PUBLISH | git send-pack . main",
            "PUBLISH | git --exec-path=/usr/lib/git-core send-pack . main",
            "PUBLISH | npm publish",
            "PUBLISH | npm publ",
            "PUBLISH | npm --registry http://127.0.0.1:9 pu",
            "PUBLISH | npm unpub left-pad",
            "PUBLISH | node $(readlink -f $(which npm)) publish",
            "PUBLISH | node --no-warnings $(readlink -f $(which npm)) --loglevel silent publ",
            "PUBLISH | python3 -m twine upload dist/x",
            "PUBLISH | stand-in docker buildx build --push .",
            "PUBLISH | stand-in mvn -B org.apache.maven.plugins:maven-deploy-plugin:3.1.1:deploy",
            "PUBLISH | stand-in gradle :app:publishToMavenCentral",
            "DEPLOY | stand-in kubectl -n prod apply -f x.yaml",
            "DEPLOY | stand-in terraform -chdir=x apply -auto-approve",
            "DEPLOY | stand-in ansible-playbook site.yml",
            "DEPLOY | stand-in aws lambda update-function-code",
            "DELETE | touch x; rm -f x",
            "DELETE | touch x; env -- rm x",
            "DELETE | touch x; find . -name x -delete",
            "DELETE | touch x; find . -name x -exec rm {} +",
            "DELETE | git init -q .; git clean -fd",
            "DELETE | git init -q .; git reset --har",
            "DELETE | /usr/lib/git-core/git-clean -f",
            "DELETE | stand-in busybox rm x",
            "INSTALL | npm i left-pad",
            "INSTALL | npm isntall left-pad",
            "INSTALL | npm inst left-pad",
            "INSTALL | npx --yes left-pad",
            "INSTALL | node $(readlink -f $(which npm)) ci",
            "INSTALL | python3 -m pip install x",
            "INSTALL | stand-in pip3.11 --quiet install x",
            "INSTALL | stand-in apt-get -y install x",
            "INSTALL | stand-in pacman -Sy x",
    })
    void readyRulesKnowOtherNames(ReadyRules ready, String script) throws Exception {
        ready(ready, Action.DENY);
        run("mkdir -p bin; stand() { cp /bin/true bin/$1; PATH=$PWD/bin:$PATH; \"$@\"; }; "
                + script.replace("stand-in", "stand"));
        assertThat(refused).anyMatch(approval -> ready.label().equals(approval.rule()));
        assertThat(refused).extracting(Approval::rule).containsOnly(ready.label());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "PUBLISH | git init -q .; git status; git log; git fetch; npm --version; node -e 1; python3 -c 1",
            "DEPLOY | git init -q .; git status; npm --version; node -e 1",
            "DELETE | git init -q .; git status; touch x; mv x y; find . -name x; npm --version",
            "INSTALL | git init -q .; git status; npm --version; node -e 1; python3 -c 1; make --version",
    })
    void readyRulesLeaveOtherCommandsAlone(ReadyRules ready, String script) throws Exception {
        ready(ready, Action.DENY);
        run(script);
        assertThat(refused).isEmpty();
    }

    /// `npm` is a script of `env`, which starts `node` with the same words: one question.
    @Test
    void aScriptOfEnvIsAskedAboutOnce() throws Exception {
        Runnable attends = sessions.approvals().attend();
        ready(ReadyRules.PUBLISH, Action.ASK);
        assertThat(run("npm publ --version")).matches("(?s)\\d+\\..*");
        attends.run();
        assertThat(asked).extracting(approval -> approval.words().getFirst()).containsExactly("npm");
    }
}
