package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// `belay doctor` on this machine, which has all that Belay needs.
class DoctorTest extends WithBelay {
    private static final List<String> KEYS = List.of(
            "java.version",
            "java.native_access",
            "java.max_fd_limit",
            "java.flags",
            "java.aot_cache",
            "java.locale",
            "system.kernel",
            "system.processor",
            "system.libc",
            "system.openat2",
            "system.pidfd",
            "system.terminal",
            "system.proc",
            "system.tag",
            "system.host",
            "room.terminals",
            "room.open_files",
            "room.processes",
            "room.memory",
            "process.cgroup",
            "process.delegation",
            "process.subreaper",
            "process.init",
            "process.isolation",
            "guard.bubblewrap",
            "guard.landlock",
            "guard.watch",
            "state.folder",
            "state.space",
            "settings.file",
            "settings.limits");

    @AfterEach
    void nothingIsLeft() throws Exception {
        assertThat(belay.processes()).isEmpty();
    }

    @Test
    void thisMachineHasAllThatBelayNeeds() throws Exception {
        Belay.Outcome outcome = belay.run("doctor");
        assertThat(outcome.out())
                .contains("Java\n", "\nSystem\n", "\nRoom for sessions\n", "\nProcesses\n", "\nState\n", "\nSettings\n")
                .contains("glibc ", "sessions", "\nBelay has everything it needs")
                .doesNotContain("missing", "\033");
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.code()).isZero();
        assertThat(belay.state()).as("the doctor makes nothing").doesNotExist();
    }

    @Test
    void everyFactHasALineWithAMarkAndTheValuesStandBelowEachOther() throws Exception {
        List<String> facts = belay.run("doctor").out().lines()
                .filter(line -> line.startsWith("  ") && !line.startsWith("   "))
                .toList();
        assertThat(facts).hasSizeGreaterThanOrEqualTo(KEYS.size());
        assertThat(facts).allMatch(line -> line.matches("  (ok|note|missing) +\\S.*  \\S.*"));
        assertThat(facts.stream().map(line -> line.substring(0, 29).matches(".*  $")).distinct()).containsExactly(true);
    }

    @Test
    void theJsonIsJsonWithTheDocumentedKeys() throws Exception {
        Belay.Outcome outcome = belay.run("doctor", "--json");
        assertThat(outcome.code()).isZero();
        assertThat(python(outcome.out(), "print(' '.join(report))")).isEqualTo("belay ok missing notes checks");
        assertThat(python(outcome.out(), "print(' '.join(report['checks']))").split(" "))
                .containsExactlyElementsOf(KEYS);
        assertThat(python(outcome.out(), "print(set(' '.join(c) for c in report['checks'].values()))"))
                .isEqualTo("{'group label status value meaning fix data'}");
        assertThat(python(outcome.out(), "print(report['ok'], report['missing'])")).isEqualTo("True []");
        String max = python(outcome.out(), "print(report['checks']['room.terminals']['data']['max'])");
        assertThat(Long.parseLong(max)).isBetween(1L, Long.parseLong(cat("/proc/sys/kernel/pty/max")));
    }

    @Test
    void theJsonHoldsNamesThatNeedEscapes() throws Exception {
        String odd = folder.resolve("a \"b\" \\c \u00e4\n\t\u0001").toString();
        Belay.Outcome outcome = belay.env("XDG_STATE_HOME", odd).run("doctor", "--json");
        assertThat(outcome.out()).isASCII();
        assertThat(python(
                outcome.out(), "print(report['checks']['state.folder']['data']['path'].encode('utf-8').hex())"))
                .isEqualTo(java.util.HexFormat.of().formatHex((odd + "/belay").getBytes(StandardCharsets.UTF_8)));
        assertThat(belay.run("doctor").out()).doesNotContain("\u0001").contains("a \"b\" \\c");
    }

    @Test
    void withoutNativeAccessTheOptionIsNamed() throws Exception {
        for (List<String> options : List.of(List.<String>of(), List.of("--illegal-native-access=deny"))) {
            Belay.Outcome outcome = bare(options, "doctor");
            assertThat(outcome.code()).isEqualTo(1);
            assertThat(outcome.out())
                    .contains("missing  native access", "--enable-native-access=dev.belay.linux", "not tried")
                    .containsPattern("missing  Linux host +failed: Native access is not enabled")
                    .doesNotContain("ok       openat2");
            assertThat(outcome.err()).isEmpty();
            Belay.Outcome json = bare(options, "doctor", "--json");
            assertThat(json.code()).isEqualTo(1);
            assertThat(python(json.out(), "print(report['ok'], report['missing'])"))
                    .isEqualTo("False ['java.native_access', 'system.host']");
        }
    }

    @Test
    void theStateFolderIsInTheHomeOfTheEnvironment() throws Exception {
        Belay.Outcome outcome = belay.env("XDG_STATE_HOME", "").env("HOME", folder.toString()).run("doctor", "--json");
        assertThat(python(outcome.out(), "print(report['checks']['state.folder']['data']['path'])"))
                .isEqualTo(folder + "/.local/state/belay");
    }

    @Test
    void aStateFolderThatCannotBeMadeIsTold() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");
        Belay.Outcome outcome = belay.env("XDG_STATE_HOME", file.toString()).run("doctor");
        assertThat(outcome.code()).isZero();
        assertThat(outcome.out())
                .containsPattern("note +folder +" + file + "/belay, cannot be created: " + file + " is not a folder")
                .contains("'belay run' uses ", "Fix: export XDG_STATE_HOME=DIR");
    }

    @Test
    void theStateFolderIsTheOneThatRunUses() throws Exception {
        assertThat(belay.run("run", "--", "true").code()).isZero();
        assertThat(belay.run("doctor").out())
                .containsPattern("ok +folder +" + belay.state() + "/belay\n")
                .containsPattern("ok +mode +rwx------")
                .containsPattern("ok +leftovers +none\n");
    }

    @Test
    void thatSessionsAreNotIsolatedIsSaid() throws Exception {
        assertThat(belay.run("doctor").out())
                .containsPattern("note +isolation +none: sessions run as the user who runs Belay")
                .contains("principals are not protected from each other's processes",
                        "Fix: set isolation.tier to \"sandbox\", or run one server per user");
    }

    @Test
    void eachKindOfSandboxIsTriedAndIsWantedOnlyIfTheSettingsNameIt() throws Exception {
        boolean root = System.getProperty("user.name").equals("root");
        Path settings = Files.writeString(folder.resolve("settings.toml"), "[isolation]\ntier = \"sandbox\"\nby ="
                + " [\"landlock\"]\n" + (root ? "run_as = \"65534\"\n" : ""));
        String out = belay.run("doctor", "--json", "--config", settings.toString()).out();
        String shown = "c = report['checks']; print(c['guard.bubblewrap']['data']['wanted'],"
                + " c['guard.landlock']['data']['wanted'], c['guard.bubblewrap']['status'] != 'missing',"
                + " c['guard.landlock']['data']['works'] == (c['guard.landlock']['data']['abi'] >= 6),"
                + " c['guard.landlock']['status'] == ('ok' if c['guard.landlock']['data']['works'] else 'missing'))";
        assertThat(python(out, shown)).isEqualTo("False True True True True");
    }

    @Test
    void aStateFolderThatOthersCanEnterIsMissingWithTheFix() throws Exception {
        Path state = Files.createDirectories(belay.state().resolve("belay"));
        Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwxr-xr-x"));
        Belay.Outcome outcome = belay.run("doctor");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.out())
                .containsPattern("missing +mode +rwxr-xr-x")
                .contains("they could read or plant its token", "Fix: chmod 700 '" + state + "'");
    }

    @Test
    void whatAKilledInstanceLeftIsANote() throws Exception {
        Path sessions = Files.createDirectories(
                belay.state().resolve("belay/sessions"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createDirectory(sessions.resolve("0123456789abcdef"));
        Files.writeString(sessions.resolve("0123456789abcdef.lock"), "");
        Belay.Outcome outcome = belay.run("doctor");
        assertThat(outcome.code()).isZero();
        assertThat(outcome.out()).containsPattern("note +leftovers +of 1 instance\n");
        assertThat(sessions.resolve("0123456789abcdef")).as("the doctor deletes nothing").exists();
    }

    @Test
    void anInstanceThatRunsIsNoLeftover() throws Exception {
        Process running = belay.start("run", "--pipe", "--", "sh", "-c", "echo up; cat");
        try {
            assertThat(running.inputReader().readLine()).isEqualTo("up");
            assertThat(belay.run("doctor").out()).containsPattern("ok +leftovers +none; 1 running now");
        } finally {
            running.getOutputStream().close();
            running.waitFor();
        }
    }

    @Test
    void aCacheThatIsNotThereIsANote() throws Exception {
        Belay.Outcome outcome = belay.env("JDK_JAVA_OPTIONS", "-XX:AOTCache=/no/such/cache").run("doctor");
        assertThat(outcome.out()).containsPattern("note +AOT cache +not used, /no/such/cache;");
    }

    @Test
    void everyCacheIsLookedFor() throws Exception {
        Path one = Files.createFile(folder.resolve("belay.aot")).toRealPath();
        Files.createFile(folder.resolve("belay-client.aot"));
        Files.createFile(folder.resolve("belay-serve.aot"));
        assertThat(JavaFacts.cache(one, "... " + one).data()).containsEntry("absent", List.of("belay-mcp.aot"));
        Files.createFile(folder.resolve("belay-mcp.aot"));
        assertThat(JavaFacts.cache(one, "... " + one).status()).isEqualTo(Finding.Status.OK);
        assertThat(JavaFacts.cache(one, "").status()).isEqualTo(Finding.Status.NOTE);
    }

    @Test
    void theFlagsAreThoseThatHold() throws Exception {
        assertThat(belay.env("JDK_JAVA_OPTIONS", "-Xmx64m").run("doctor").out())
                .containsPattern("ok +flags +SerialGC, heap up to 6\\d(\\.\\d)? MiB, compilers up to tier 1\n");
    }

    @Test
    void aSubreaperIsToldApart() throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "python3", "-c",
                "import ctypes, os, sys; assert ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0;"
                        + " os.execv(sys.argv[1], sys.argv[1:])"));
        command.addAll(Belay.command("doctor"));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(belay.env());
        assertThat(Belay.outcome(builder.start(), new byte[0]).out()).containsPattern("note +subreaper +Belay is one");
        assertThat(belay.run("doctor").out()).containsPattern("ok +subreaper +Belay is not one");
    }

    /// Few files more than the JVM itself has open.
    @Test
    void whereNoSessionFitsTheExitIs1() throws Exception {
        String open = python(
                belay.run("doctor", "--json").out(), "print(report['checks']['room.open_files']['data']['in_use'])");
        String few = Integer.toString(Integer.parseInt(open) + 3);
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "ulimit -n $0; exec \"$@\"", few));
        command.addAll(Belay.command("doctor"));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(belay.env());
        Belay.Outcome outcome = Belay.outcome(builder.start(), new byte[0]);
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.out()).contains("missing  open files", "Fix: ");
    }

    @Test
    void thereAreColoursOnATerminalUnlessTheyAreNotWanted() throws Exception {
        assertThat(onATerminal("TERM=xterm")).contains("\033[32mok\033[m");
        assertThat(onATerminal("TERM=xterm", "NO_COLOR=1")).contains("  ok  ").doesNotContain("\033");
        assertThat(onATerminal("TERM=dumb")).doesNotContain("\033");
    }

    @Test
    void theHelpTellsTheExitCodes() throws Exception {
        Belay.Outcome outcome = belay.run("doctor", "--help");
        assertThat(outcome.code()).isZero();
        assertThat(outcome.out()).contains("--json", "125 ", "belay doctor --json");
        assertThat(outcome.out().lines()).allMatch(line -> line.length() <= 80);
        assertThat(belay.run("help", "doctor").out()).isEqualTo(outcome.out());
        assertThat(belay.run("--help").out()).containsPattern("  doctor +Show whether");
    }

    @Test
    void aReportThatCannotBeWrittenIs125() throws Exception {
        belay.writeLauncher();
        Process process = new ProcessBuilder(folder.resolve("belay").toString(), "doctor")
                .redirectOutput(Path.of("/dev/full").toFile())
                .start();
        Belay.Outcome outcome = Belay.outcome(process, new byte[0]);
        assertThat(outcome.code()).isEqualTo(125);
        assertThat(outcome.err()).startsWith("belay: Cannot write the report").hasLineCount(1);
    }

    @Test
    void aNameThatTheLocaleCannotReadIsToldWithTheFix() throws Exception {
        Belay.Outcome outcome =
                belay.env("LC_ALL", "C").env("XDG_STATE_HOME", folder + "/\u00e4").run("doctor");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.out()).contains("missing  folder", "Fix: export LC_ALL=C.UTF-8");
    }

    @Test
    void anUnknownOptionIs125() throws Exception {
        Belay.Outcome outcome = belay.run("doctor", "--jsn");
        assertThat(outcome.code()).isEqualTo(125);
        assertThat(outcome.err()).contains("Did you mean '--json'?", "Try 'belay doctor --help'.");
    }

    /// In a session of belay itself, which is on a terminal of its own.
    private String onATerminal(String... variables) throws Exception {
        belay.writeLauncher();
        List<String> args = new ArrayList<>(List.of("run", "--", "env"));
        args.addAll(List.of(variables));
        args.addAll(List.of(folder.resolve("belay").toString(), "doctor"));
        return belay.run(args.toArray(String[]::new)).out();
    }

    /// Started by a java that was told nothing.
    private Belay.Outcome bare(List<String> options, String... args) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-p", System.getProperty("belay.app"), "-m", "dev.belay.cli/dev.belay.cli.Main"));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("XDG_STATE_HOME", belay.state().toString());
        builder.environment().put("LC_ALL", "C.UTF-8");
        return Belay.outcome(builder.start(), new byte[0]);
    }

    private static String python(String json, String program) throws Exception {
        Process python =
                new ProcessBuilder("python3", "-c", "import json, sys; report = json.load(sys.stdin); " + program)
                        .start();
        Belay.Outcome outcome = Belay.outcome(python, json.getBytes(StandardCharsets.UTF_8));
        assertThat(outcome.err()).isEmpty();
        return outcome.out().strip();
    }

    private static String cat(String file) throws Exception {
        return Belay.outcome(new ProcessBuilder("cat", file).start(), new byte[0]).out().strip();
    }
}
