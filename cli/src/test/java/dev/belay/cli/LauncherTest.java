package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `./belay` itself and how it finds a Java: the real scripts, in a tree and on a machine that are stand-ins.
///
/// The machine is a folder: where the script looks at the usual places, its copy looks at the same ones in there.
@Tag("source-tree")
class LauncherTest {
    private static final Path SOURCES = Path.of("..").toAbsolutePath().normalize();
    /// All that is on the PATH, where else there might be a Java.
    private static final List<String> TOOLS = List.of(
            "cat", "find", "flock", "mkdir", "mkfifo", "mv", "readlink", "rm", "tail", "touch");

    /// Says where it stands and what it was given; as agent tools, answers each of three questions.
    private static final String STAND_IN_JAVA = """
            #!/bin/sh
            case " $* " in *" mcp "*) for i in 1 2 3; do read -r question && echo "$question"; done ;; esac
            echo "java=${0%/bin/java}"
            for word; do echo "word=$word"; done
            """;

    @TempDir
    Path folder;

    private Path machine;
    private Path tree;
    private final Map<String, String> env = new TreeMap<>();

    @BeforeEach
    void copyTheScripts() throws IOException {
        folder = folder.toRealPath();
        machine = Files.createDirectory(folder.resolve("machine"));
        tree = Files.createDirectory(folder.resolve("tree"));
        Path bin = Files.createDirectory(folder.resolve("bin"));
        for (String tool : TOOLS) {
            program(bin.resolve(tool), "#!/bin/sh\nexec " + whereIs(tool) + " \"$@\"\n");
        }
        env.put("PATH", bin.toString());
        env.put("HOME", Files.createDirectory(folder.resolve("home")).toString());
        program(tree.resolve("belay"), Files.readString(SOURCES.resolve("belay")));
        String script = Files.readString(SOURCES.resolve("scripts/find-jdk.sh"));
        String moved = script.replaceAll(
                "(?<=[ (])/(?=usr/|opt/|Library/)", Matcher.quoteReplacement(machine + "/"));
        assertThat(moved).contains(machine + "/usr/lib/jvm/*", machine + "/opt/jdk*", "$(" + machine + "/usr/libexec/");
        write(tree.resolve("scripts/find-jdk.sh"), moved);
        write(tree.resolve("pom.xml"), "");
        write(tree.resolve("core/src/main/A.java"), "");
    }

    private static Path whereIs(String tool) {
        return Stream.of(System.getenv("PATH").split(":", -1))
                .map(place -> Path.of(place, tool))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + tool + " on the PATH"));
    }

    private static Path write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private static Path program(Path file, String text) throws IOException {
        Path written = write(file, text);
        Files.setPosixFilePermissions(written, PosixFilePermissions.fromString("rwxr-xr-x"));
        return written;
    }

    /// A Java of a version, without a compiler.
    private static Path java(Path home, String version) throws IOException {
        program(home.resolve("bin/java"), STAND_IN_JAVA);
        write(home.resolve("release"), "IMPLEMENTOR=\"Nobody\"\nJAVA_VERSION=\"" + version + "\"\n");
        return home;
    }

    private static Path jdk(Path home, String version) throws IOException {
        program(home.resolve("bin/javac"), "#!/bin/sh\nexit 1\n");
        return java(home, version);
    }

    /// The tree is built, and nothing has changed since.
    private void built() throws IOException {
        Files.createDirectories(tree.resolve("cli/target/app/lib"));
        write(tree.resolve("cli/target/app/built"), "");
    }

    /// A build that says how it was called, and works or not.
    private void buildWith(String script) throws IOException {
        Files.createDirectories(tree.resolve("cli"));
        program(tree.resolve("mvnw"), "#!/bin/sh\necho \"$JAVA_HOME $*\" >> builds\n" + script);
    }

    private List<String> builds() throws IOException {
        return Files.readAllLines(tree.resolve("builds"));
    }

    private Belay.Outcome belay(String... args) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                Stream.concat(Stream.of(tree.resolve("belay").toString()), Stream.of(args)).toList())
                .directory(folder.toFile());
        builder.environment().clear();
        builder.environment().putAll(env);
        return Belay.outcome(builder.start(), new byte[0]);
    }

    private void assertRunsOn(Path home) throws Exception {
        Belay.Outcome outcome = belay("run", "--", "a b", "");
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.code()).isZero();
        assertThat(outcome.out())
                .startsWith("java=" + home + "\n")
                .endsWith("word=dev.belay.cli/dev.belay.cli.Main\nword=run\nword=--\nword=a b\nword=\n");
    }

    private void assertAsksForJava(String what) throws Exception {
        Belay.Outcome outcome = belay("run", "--", "true");
        assertThat(outcome.code()).isEqualTo(125);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err())
                .startsWith("belay: " + what)
                .contains("apt-get install openjdk-25-jdk-headless", "sdk install java", "set JAVA_HOME");
    }

    @Test
    void withoutAJavaItSaysWhatToInstall() throws Exception {
        built();
        assertAsksForJava("Belay needs Java 25 or newer, but none was found.\n");
        env.put("JAVA_HOME", folder.resolve("nowhere").toString());
        assertAsksForJava("Belay needs Java 25 or newer");
        env.put("JAVA_HOME", java(folder.resolve("old"), "17.0.2").toString());
        java(machine.resolve("usr/lib/jvm/older"), "1.8.0_402");
        assertAsksForJava("Belay needs Java 25 or newer");
    }

    @Test
    void withoutACompilerItSaysWhatBuildingNeeds() throws Exception {
        buildWith("exit 0");
        java(machine.resolve("usr/lib/jvm/runtime-only"), "25.0.1");
        assertAsksForJava("building needs JDK 25 or newer (with javac), but none was found.\n");
        assertThat(tree.resolve("builds")).doesNotExist();
    }

    @Test
    void javaHomeWinsIfItIsNewEnough() throws Exception {
        built();
        Path usual = java(machine.resolve("usr/lib/jvm/usual"), "25");
        Path mine = java(folder.resolve("mine and newer"), "26-ea");
        env.put("JAVA_HOME", mine.toString());
        assertRunsOn(mine);
        env.put("JAVA_HOME", java(folder.resolve("old"), "24.0.2").toString());
        assertRunsOn(usual);
        env.put("JAVA_HOME", folder.resolve("nowhere").toString());
        assertRunsOn(usual);
    }

    @Test
    void theJavaOfThePathIsFoundThroughItsLinks() throws Exception {
        built();
        java(machine.resolve("usr/lib/jvm/usual"), "25");
        Path home = java(folder.resolve("unpacked"), "25.0.3");
        Path alternative = Files.createSymbolicLink(folder.resolve("alternative"), home.resolve("bin/java"));
        Files.createSymbolicLink(folder.resolve("bin/java"), alternative);
        assertRunsOn(home);
    }

    @Test
    void everyUsualPlaceIsLookedAt() throws Exception {
        built();
        for (String place : List.of(
                "usr/lib/jvm/a", "usr/java/a", "opt/java/a", "opt/jdk-25",
                "Library/Java/JavaVirtualMachines/a/Contents/Home",
                "opt/homebrew/opt/openjdk@25/libexec/openjdk.jdk/Contents/Home")) {
            Path home = java(machine.resolve(place), "25.0.1");
            assertRunsOn(home);
            Files.delete(home.resolve("release"));
        }
        Path sdkman = java(folder.resolve("home/.sdkman/candidates/java/25-tem"), "25");
        assertRunsOn(sdkman);
        Files.delete(sdkman.resolve("release"));
        Path told = java(folder.resolve("told"), "25.0.2");
        program(machine.resolve("usr/libexec/java_home"), "#!/bin/sh\n[ \"$*\" = '-v 25' ] && echo " + told);
        assertRunsOn(told);
    }

    @Test
    void twentyFiveGoesBeforeWhatIsNewer() throws Exception {
        built();
        Path newer = java(machine.resolve("usr/lib/jvm/a-newer"), "27");
        assertRunsOn(newer);
        Path right = java(machine.resolve("usr/lib/jvm/b-right"), "25");
        assertRunsOn(right);
    }

    @Test
    void itBuildsOnFirstUseAndWhenSourcesChangedAndSaysSo() throws Exception {
        buildWith("mkdir -p cli/target/app/lib");
        Path home = jdk(machine.resolve("usr/lib/jvm/a"), "25");
        Belay.Outcome first = belay("run", "--", "true");
        assertThat(first.err()).isEqualTo("belay: building (first use) ...\n");
        assertThat(first.out()).startsWith("java=" + home + "\n").endsWith("word=true\n");
        assertRunsOn(home);
        assertThat(builds()).singleElement().asString().startsWith(home + " ").contains("-pl cli -am")
                .endsWith(" package");
        write(tree.resolve("core/src/main/B.java"), "");
        assertRunsOn(home);
        assertThat(builds()).as("a start does not look at the sources").hasSize(1);
        write(tree.resolve(".git/logs/HEAD"), "a commit was made");
        assertThat(belay("run", "--", "true").err()).isEqualTo("belay: building (sources changed) ...\n");
        assertRunsOn(home);
        write(tree.resolve("core/src/main/C.java"), "");
        env.put("BELAY_BUILD", "auto");
        assertThat(belay("run", "--", "true").err()).isEqualTo("belay: building (sources changed) ...\n");
        assertRunsOn(home);
        assertThat(builds()).hasSize(3);
        assertThat(tree.resolve("cli/target/app/training")).doesNotExist();
    }

    @Test
    void aBuildThatFailsShowsTheEndOfItsLogAndIsTriedAgain() throws Exception {
        buildWith("echo what is wrong; exit 1");
        jdk(machine.resolve("usr/lib/jvm/a"), "25");
        for (int tries = 1; tries <= 2; tries++) {
            Belay.Outcome outcome = belay("run", "--", "true");
            assertThat(outcome.code()).isEqualTo(125);
            assertThat(outcome.out()).isEmpty();
            assertThat(outcome.err())
                    .startsWith("belay: building (first use) ...\nbelay: the build failed")
                    .endsWith("\nwhat is wrong\n");
            assertThat(builds()).hasSize(tries);
        }
    }

    @Test
    void aTreeThatCannotBeBuiltInSaysSo() throws Exception {
        java(machine.resolve("usr/lib/jvm/a"), "25");
        Belay.Outcome outcome = belay("--help");
        assertThat(outcome.code()).isEqualTo(125);
        assertThat(outcome.err()).startsWith("belay: not built yet, and " + tree + " cannot be built in");
    }

    @Test
    void itIsFoundThroughALink() throws Exception {
        built();
        Path home = java(machine.resolve("usr/lib/jvm/a"), "25");
        Path link = Files.createSymbolicLink(folder.resolve("bin/belay"), Path.of("../tree/belay"));
        ProcessBuilder builder = new ProcessBuilder(link.toString(), "run");
        builder.environment().clear();
        builder.environment().putAll(env);
        Belay.Outcome outcome = Belay.outcome(builder.start(), new byte[0]);
        assertThat(outcome.out()).startsWith("java=" + home).contains("word=" + tree.resolve("cli/target/app/lib"));
        assertThat(outcome.err()).isEmpty();
    }
}
