package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.testkit.Rig;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What only a separate JVM can show: how it was started and how it ends.
@Timeout(120)
class OwnJvmTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"run, /dev/pts/\\d+", "pipe, pipe:\\[\\d+\\]"})
    void theChildHasCleanSignalsAndItsOwnDescriptorsAlsoWhenBelayWasStartedUnderNohup(String mode, String streams)
            throws Exception {
        // Bit 0: nohup makes its child ignore SIGHUP.
        assertThat(Jvm.run(List.of("nohup", "cat", "/proc/self/status")))
                .containsPattern("SigIgn:\\s[0-9a-f]*[13579bdf]\n");
        List<String> command = new ArrayList<>(List.of("nohup"));
        command.addAll(Jvm.probe(
                folder.toString(), mode, "/bin/sh", "-c", "cat /proc/self/status; exec python3 -c \"$0\"", """
                        import os
                        listed = os.listdir('/proc/self/fd')
                        for fd in listed:
                            # All but the one of the listing itself.
                            if os.path.exists('/proc/self/fd/' + fd):
                                print('fd', fd, os.readlink('/proc/self/fd/' + fd))
                        """));
        String said = Jvm.run(command).replace("\r\n", "\n");
        assertThat(said).containsPattern("SigBlk:\\s0000000000000000").containsPattern("SigIgn:\\s0000000000000000");
        assertThat(said.lines().filter(line -> line.startsWith("fd ")))
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).matches("fd [012] " + streams));
    }

    @Test
    void theChildHasItsDescriptorsAlsoWhenBelayWasStartedWithoutAny() throws Exception {
        Path said = folder.resolve("said");
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "\"$@\" <&- >&- 2>&-", "sh"));
        command.addAll(Jvm.probe(
                folder.resolve("state").toString(),
                "run",
                "/bin/sh",
                "-c",
                "ls -l /proc/self/fd > " + said + "; tty >> " + said));
        Jvm.run(command);
        assertThat(Files.readString(said))
                .containsPattern(" 0 -> /dev/pts/\\d+")
                .containsPattern(" 2 -> /dev/pts/\\d+")
                .containsPattern("(?m)^/dev/pts/\\d+$");
    }

    @Test
    void aJvmThatIsTerminatedTakesItsSessionsWithIt() throws Exception {
        Process belay = start("trap '' HUP TERM; (setsid sh -c 'echo up; exec sleep 1000' &); sleep 1000");
        long leader = leaderOf(belay);
        String mark = markOf(leader);
        assertThat(Rig.marked(mark)).contains(leader).hasSizeGreaterThanOrEqualTo(2);
        assertThat(belay.toHandle().destroy()).isTrue();
        assertThat(belay.waitFor()).isEqualTo(143);
        assertThat(Rig.marked(mark)).as("processes").isEmpty();
        assertThat(filesIn(folder)).as("state files").isEmpty();
    }

    @Test
    void whatAKilledJvmLeftIsSweptByTheNext() throws Exception {
        Process belay = start("echo something; exec sleep 1000");
        long leader = leaderOf(belay);
        belay.destroyForcibly().waitFor();
        // The kernel hangs up the terminal of a killed JVM, but reports to nobody when the leader has died.
        Rig.awaitDeath(leader);
        assertThat(filesIn(folder)).as("what is left").isNotEmpty();
        assertThat(Jvm.run(Jvm.probe(folder.toString(), "run", "echo", "next"))).isEqualTo("next\r\n");
        assertThat(filesIn(folder)).as("what is left").isEmpty();
    }

    /// A program that is held when Belay is killed does not start, nor does any other. The session's processes, which
    /// nobody ends then, are ended by the next Belay, which also knows the answer that holds for the workspace.
    @Test
    void whatIsHeldWhenBelayIsKilledNeverStartsAndTheNextKnowsTheAnswers() throws Exception {
        Path workspace = Files.createDirectory(folder.toRealPath().resolve("workspace"));
        assertThat(new ProcessBuilder("mkfifo", workspace.resolve("go").toString()).start().waitFor()).isZero();
        Process belay = new ProcessBuilder(watchProbe(workspace, "ask", """
                exec >said 2>&1
                id -u; uname -s; echo "uname $?"; /bin/true; echo "true $?"
                echo >go; read line <go
                """)).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        long leader = leaderOf(belay);
        belay.destroyForcibly().waitFor();
        assertThat(Files.readString(workspace.resolve("go"))).isEqualTo("\n");
        assertThat(Files.readAllLines(workspace.resolve("said")))
                .hasSize(5)
                .contains("uname 126", "true 126")
                .filteredOn(line -> line.contains("Function not implemented")).hasSize(2);
        assertThat(Rig.lives(leader)).as("nobody ends it").isTrue();
        assertThat(Jvm.run(watchProbe(workspace, "run", "id -u; uname -s 2>/dev/null || echo no")))
                .matches("\\d+\nno\n");
        assertThat(Rig.lives(leader)).as("left to the next").isFalse();
    }

    private List<String> watchProbe(Path workspace, String mode, String script) {
        return Jvm.command(
                List.of("--enable-native-access=ALL-UNNAMED"), WatchProbe.class.getName(),
                folder.resolve("state").toString(), workspace.toString(), mode, script);
    }

    @Test
    void aSessionIsClosedAlthoughTheJvmHasNoDescriptorLeft() throws Exception {
        String said = Jvm.run(Jvm.command(
                List.of("--enable-native-access=ALL-UNNAMED"), Starved.class.getName(), folder.toString()));
        assertThat(said).containsPattern("descriptors taken: [1-9]").containsPattern("killed: [1-9]")
                .endsWith("closed\n");
        assertThat(filesIn(folder)).as("state files").isEmpty();
    }

    @Test
    void withoutNativeAccessTheMessageSaysWhatToDo() throws Exception {
        String said = Jvm.run(Jvm.command(
                List.of("--illegal-native-access=deny"), Probe.class.getName(), folder.toString(), "run", "true"));
        assertThat(said).contains("--enable-native-access=ALL-UNNAMED");
    }

    @Test
    void theProgramInTheReadmeRuns() throws Exception {
        String readme;
        try (var text = OwnJvmTest.class.getResourceAsStream("/README.md")) {
            readme = new String(text.readAllBytes(), StandardCharsets.UTF_8);
        }
        int start = readme.indexOf("```java\n") + "```java\n".length();
        String program = readme.substring(start, readme.indexOf("```", start));
        assertThat(program.lines().count()).isLessThanOrEqualTo(30);
        Path source = Files.writeString(folder.resolve("SixTimesSeven.java"), program);
        List<String> command = Jvm.command(
                List.of("--enable-native-access=ALL-UNNAMED", "-Duser.home=" + folder), source.toString());
        assertThat(Jvm.run(command)).isEqualTo("42\n");
    }

    private Process start(String script) throws IOException {
        return new ProcessBuilder(Jvm.probe(folder.toString(), "hold", "/bin/sh", "-c", script))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static long leaderOf(Process belay) throws IOException {
        BufferedReader said = belay.inputReader(StandardCharsets.UTF_8);
        return Long.parseLong(said.readLine().substring("pid=".length()));
    }

    /// The mark that a process inherited from its session.
    private static String markOf(long pid) throws IOException {
        return Files.readString(Path.of("/proc/" + pid + "/environ"), StandardCharsets.ISO_8859_1)
                .split("BELAY_SESSION=", 2)[1]
                .split("\0", 2)[0];
    }

    private static List<Path> filesIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }
}
