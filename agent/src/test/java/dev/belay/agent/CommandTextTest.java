package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Reading shell commands without running them.
class CommandTextTest {
    private static List<String> programs(String text) {
        return CommandText.parse(text).parts().stream().map(CommandText.Part::program).toList();
    }

    private static List<String> words(String text) {
        return CommandText.parse(text).parts().getFirst().words();
    }

    @Test
    void aProgramIsNamedWithoutItsFolder() {
        assertThat(programs("/usr/local/bin/cargo build")).containsExactly("cargo");
        assertThat(programs("./mvnw verify")).containsExactly("mvnw");
        assertThat(words("./mvnw -q  verify\t-ntp")).containsExactly("./mvnw", "-q", "verify", "-ntp");
    }

    @Test
    void whatAWrapperRunsIsSeenAndSoIsTheWrapper() {
        assertThat(programs("env A=1 B=2 make")).containsExactly("env", "make");
        assertThat(programs("A=1 B='x y' make all")).containsExactly("make");
        assertThat(programs("sudo -u builder -E make")).containsExactly("sudo", "make");
        assertThat(programs("sudo --user builder make")).containsExactly("sudo", "make");
        assertThat(programs("sudo X=1 -- make")).contains("sudo");
        assertThat(programs("time -p sudo env -u HOME nice -n 5 cargo test"))
                .containsExactly("time", "sudo", "env", "nice", "cargo");
        assertThat(programs("timeout -s KILL 10 gradle build")).containsExactly("timeout", "gradle");
        assertThat(programs("env - PATH=/bin make")).containsExactly("env", "make");
        assertThat(programs("nohup setsid make &")).containsExactly("nohup", "setsid", "make");
        assertThat(programs("find . -name '*.c' | xargs -n 1 gcc -c")).containsExactly("find", "xargs", "gcc");
        assertThat(programs("sudo")).containsExactly("sudo");
        assertThat(programs("timeout 5")).containsExactly("timeout");
    }

    @Test
    void listsAndPipelinesAreTakenApart() {
        assertThat(programs("cd src && make || echo failed; git status & ls | wc -l |& tee log"))
                .containsExactly("cd", "make", "echo", "git", "ls", "wc", "tee");
        assertThat(programs("(cd a; make)\nnpm test")).containsExactly("cd", "make", "npm");
        assertThat(programs("if test -f x; then make; else npm ci; fi")).containsExactly("test", "make", "npm");
        assertThat(programs("for f in a b; do gcc $f; done")).containsExactly("gcc");
        assertThat(programs("while ! git pull; do sleep 1; done")).containsExactly("git", "sleep");
        assertThat(programs("case $x in a) make;; esac")).containsExactly("make");
        assertThat(programs("build() { make; }; build")).containsExactly("build", "make", "build");
    }

    @Test
    void quotesHideOperatorsAndBelongToNoWord() {
        assertThat(words("echo 'a; make' \"b && npm\" c\\;d")).containsExactly("echo", "a; make", "b && npm", "c;d");
        assertThat(words("ec'h'\"o\" x")).containsExactly("echo", "x");
        assertThat(words("echo ''")).containsExactly("echo", "");
        assertThat(words("printf \"a\\n\\\"b\\\"\\$c\"")).containsExactly("printf", "a\\n\"b\"$c");
        assertThat(words("echo $'it\\'s; make'")).containsExactly("echo", "it's; make");
        assertThat(programs("echo $'\\''; rm x #'")).containsExactly("echo", "rm");
    }

    @Test
    void aLineThatGoesOnInTheNextIsOneCommand() {
        assertThat(words("make \\\n  all")).containsExactly("make", "all");
        assertThat(programs("sudo \\\n make")).containsExactly("sudo", "make");
        assertThat(words("ma\\\nke all")).containsExactly("make", "all");
    }

    @Test
    void substitutionsAreCommands() {
        assertThat(programs("echo $(git rev-parse HEAD)")).containsExactly("echo", "git");
        assertThat(programs("echo \"on $(git branch) now\"")).containsExactly("echo", "git");
        assertThat(programs("x=`npm bin`")).containsExactly("npm");
        assertThat(programs("echo $(echo \")\" $(make))")).containsExactly("echo", "echo", "make");
        assertThat(programs("echo \"$(echo \"$(make \")\")\")\"; ls")).containsExactly("echo", "echo", "make", "ls");
        assertThat(programs("diff <(make a) >(tee b)")).containsExactly("diff", "make", "tee");
        assertThat(programs("echo '$(make)'")).containsExactly("echo");
    }

    @Test
    void whatAShellIsGivenIsRead() {
        assertThat(programs("bash -c 'make && npm test'")).containsExactly("bash", "make", "npm");
        assertThat(programs("bash -lc 'make'")).containsExactly("bash", "make");
        assertThat(programs("sudo sh -e -o pipefail -c \"cargo build\" name")).containsExactly("sudo", "sh", "cargo");
        assertThat(programs("bash -c \"sh -c 'make'\"")).containsExactly("bash", "sh", "make");
        assertThat(programs("bash script.sh -c make")).containsExactly("bash");
        assertThat(programs("bash -c")).containsExactly("bash");
    }

    @Test
    void commentsAreNotRead() {
        assertThat(programs("ls # ; make\nnpm ci")).containsExactly("ls", "npm");
        assertThat(words("echo a#b")).containsExactly("echo", "a#b");
        assertThat(programs("# make")).isEmpty();
    }

    @Test
    void redirectionsAreNoArguments() {
        assertThat(words("make all >log 2>&1 </dev/null")).containsExactly("make", "all");
        assertThat(words("make &> log all")).containsExactly("make", "all");
        assertThat(words("make 2> >(tee log) all")).containsExactly("make", "all");
        assertThat(words(">log make")).containsExactly("make");
        assertThat(words("cat <<< make file")).containsExactly("cat", "file");
        assertThat(words("echo 2 > x")).containsExactly("echo", "2");
    }

    @Test
    void theTextOfAHereDocumentIsNoCommandButItsSubstitutionsAre() {
        assertThat(programs("cat > notes <<'END' && ls\nrm -rf /\n$(make)\nEND\nnpm ci")).containsExactly("cat", "ls",
                "npm");
        assertThat(programs("cat <<END\nrm -rf /\non $(git branch)\nEND\nnpm ci")).containsExactly("cat", "git", "npm");
        assertThat(programs("cat <<-END\n\trm x\n\tEND\nls")).containsExactly("cat", "ls");
        assertThat(programs("cat <<A; cat <<B\nrm a\nA\nrm b\nB\nls")).containsExactly("cat", "cat", "ls");
        assertThat(programs("cat <<END\nrm -rf /")).containsExactly("cat");
    }

    @Test
    @Timeout(60)
    void anyTextIsMadeSomethingOf() {
        long seed = Long.getLong("belay.seed", System.nanoTime());
        Random random = new Random(seed);
        List<String> pieces = List.of("make", " ", "'", "\"", "$(", ")", "`", "\\", "\n", "<<", "<<-", "E", ">", "&",
                "|", ";", "(", "#", "$'", "{", "}", "bash -c ", "sudo -u ", "env A=b ", "timeout ", "\t", "é", "\ud83d",
                "-", "--", "=", "for ", "2>&1", "<(", "\r", "\0");
        for (int round = 0; round < 20_000; round++) {
            String text = random.ints(random.nextInt(40), 0, pieces.size())
                    .mapToObj(pieces::get)
                    .collect(Collectors.joining());
            CommandText command;
            try {
                command = CommandText.parse(text);
                Toolchain.of(command);
            } catch (RuntimeException | StackOverflowError e) {
                throw new AssertionError("-Dbelay.seed=" + seed + ": " + text, e);
            }
            assertThat(command.parts()).as(text).allSatisfy(part -> assertThat(part.words()).isNotEmpty());
        }
    }

    @Test
    @Timeout(60)
    void aHostileTextCostsNoMoreThanItsLength() {
        int many = 50_000;
        for (String piece : List.of("$(", "`", "\"$(", "(", "<<A\n", "<(", "bash -c '", "sudo ", "'", "a;", "$'",
                "{ ")) {
            CommandText.parse(piece.repeat(many));
        }
    }
}
