package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Every command in README and docs: those in blocks of `sh` run for real, or stand below with the reason why not;
/// every command of `belay` anywhere in the text has options that exist.
@Tag("slow")
@Tag("source-tree")
class DocumentedCommandsTest extends WithBelay {
    /// Lines that do not run here, by their beginning, and why.
    private static final Map<String, String> NOT_RUN = Map.ofEntries(
            Map.entry("scripts/verify", "runs this test"),
            Map.entry("./belay run -- bash -lc", "needs a terminal: TerminalRunTest"),
            Map.entry("./belay run -- vim", "needs a person: TerminalRunTest"),
            Map.entry("claude mcp add", "needs Claude Code; McpSetUpTest writes its settings"),
            Map.entry("./belay serve", "does not end: the server of this test"),
            Map.entry("belay serve", "does not end: the server of this test"),
            Map.entry("./belay attach", "needs a terminal: AttachTest"),
            Map.entry("./belay top", "needs a terminal: TopCommandTest"),
            Map.entry("./belay doctor", "fails on machines that lack something: DoctorTest"),
            Map.entry("./belay mcp --install", "asks a person: McpSetUpTest"),
            Map.entry("belay run --sandbox", "needs a machine that allows namespaces: SandboxTest"),
            Map.entry("# belay run --sandbox", "a transcript with root's prompt: SandboxTest"),
            Map.entry("npm install", "needs a network: ClientLibraryTest"),
            Map.entry("socketio/official-suites", "needs a checkout of Socket.IO's own tests"),
            // What that transcript prints.
            Map.entry("nobody", "output"), Map.entry("cat: /root", "output"), Map.entry("sh: 1:", "output"),
            Map.entry("here", "output"), Map.entry("5", "output"), Map.entry("curl: (6)", "output"));

    private static final Pattern IN_TEXT = Pattern.compile("`((?:\\./)?belay [^`]+)`");
    private static final Pattern COMMAND =
            Pattern.compile("(?:^|[|(] *|&& |\\$ )(?:\\./)?belay ([a-z]+)([^|#;&)>]*)");

    private static Path root() throws Exception {
        return Path.of("..").toRealPath();
    }

    private static List<Path> documents() throws Exception {
        List<Path> found = new ArrayList<>();
        for (String name : List.of("README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md",
                "socketio/README.md", "screen/README.md")) {
            found.add(root().resolve(name));
        }
        try (Stream<Path> docs = Files.walk(root().resolve("docs"))) {
            docs.filter(file -> file.toString().endsWith(".md")).sorted().forEach(found::add);
        }
        return found;
    }

    /// The lines of all blocks of `sh` in a document, continued lines joined.
    private static List<String> lines(Path document) throws Exception {
        List<String> lines = new ArrayList<>();
        boolean block = false;
        for (String line : Files.readString(document).replace("\\\n", " ").lines().toList()) {
            String text = line.strip();
            if (text.startsWith("```")) {
                block = !block && text.matches("```(sh|bash|shell|console)");
            } else if (block && !text.isEmpty()) {
                lines.add(text);
            }
        }
        return lines;
    }

    private static String reason(String line) {
        return NOT_RUN.entrySet().stream().filter(one -> line.startsWith(one.getKey())).map(Map.Entry::getValue)
                .findFirst().orElse("");
    }

    @Test
    void everyCommandRunsOrSaysWhyNot() throws Exception {
        Files.createDirectories(folder.resolve(".local"));
        Files.createSymbolicLink(folder.resolve(".local/state"), belay.state());
        Files.writeString(folder.resolve("Makefile"), "test:\n\t@echo passed\n");
        Path config = Files.createDirectories(folder.resolve(".config/belay"));
        Files.createSymbolicLink(config.resolve("belay.toml"), folder.resolve("belay.toml"));
        belay.env("HOME", folder.toString()).env("XDG_CONFIG_HOME", folder.resolve(".config").toString());
        belay.writeLauncher();
        Map<String, List<String>> scripts = new LinkedHashMap<>();
        for (Path document : documents()) {
            for (String line : lines(document)) {
                if (reason(line).isEmpty()) {
                    scripts.computeIfAbsent(root().relativize(document).toString(), _ -> new ArrayList<>()).add(line);
                }
            }
        }
        assertThat(scripts).containsKeys("README.md", "docs/command.md", "docs/protocol.md", "docs/operations.md");
        for (Map.Entry<String, List<String>> script : scripts.entrySet()) {
            Files.writeString(folder.resolve("belay.toml"), "# mine\n[server]\nport = 0\n");
            try (RunningServer server = new RunningServer(belay, "--config", "belay.toml")) {
                run(script.getKey(), script.getValue(), server);
                belay.run("stop");
                server.exit();
            }
        }
    }

    private void run(String document, List<String> lines, RunningServer server) throws Exception {
        String port = server.port();
        for (String line : lines) {
            assertThat(reason(line)).isEmpty();
            // Written for the standard port.
            String here = line.replace("localhost:10000", "127.0.0.1:" + port)
                    .replace("127.0.0.1:10000", "127.0.0.1:" + port).replaceFirst("^curl ", "curl -sS --fail ");
            Path script = Files.writeString(folder.resolve("line.sh"), "set -e\n"
                    + (Files.exists(folder.resolve("variables.sh")) ? ". ./variables.sh\n" : "") + here + "\n");
            if (here.matches("[A-Z]+=.*")) {
                Files.writeString(folder.resolve("variables.sh"), here + "\n");
            }
            ProcessBuilder builder = new ProcessBuilder("bash", script.toString()).directory(folder.toFile());
            builder.environment().putAll(belay.env());
            builder.environment().put("PATH", folder + ":" + System.getenv("PATH"));
            Belay.Outcome outcome = Belay.outcome(builder.start(), new byte[0]);
            assertThat(outcome.code()).as("%s: %s%n%s%s", document, line, outcome.out(), outcome.err()).isZero();
        }
    }

    @Test
    void everyReasonIsNeeded() throws Exception {
        List<String> all = new ArrayList<>();
        for (Path document : documents()) {
            all.addAll(lines(document));
        }
        assertThat(NOT_RUN.keySet()).allSatisfy(start -> assertThat(all).anyMatch(line -> line.startsWith(start)));
    }

    /// In blocks and in the text.
    @Test
    void everyCommandOfBelayHasOptionsThatExist() throws Exception {
        int count = 0;
        for (Path document : documents()) {
            List<String> commands = new ArrayList<>(lines(document));
            Matcher inText = IN_TEXT.matcher(Files.readString(document));
            while (inText.find()) {
                commands.add(inText.group(1).replace('\n', ' '));
            }
            for (String line : commands) {
                Matcher belays = COMMAND.matcher(line);
                while (belays.find()) {
                    count += check(document.getFileName() + ": " + line, belays.group(1), belays.group(2)) ? 1 : 0;
                }
            }
        }
        assertThat(count).isGreaterThan(80);
    }

    private static boolean check(String where, String name, String rest) {
        Command command = Commands.find(name).orElse(null);
        assertThat(command).as(where).isNotNull();
        if (command == null) {
            return false;
        }
        List<String> known = command.syntax().options().stream().flatMap(option -> option.names().stream()).toList();
        for (String word : rest.strip().split("[\\s\\[\\],`]+", 0)) {
            if (word.equals("--")) {
                break; // what follows belongs to another program
            }
            if (word.startsWith("--")) {
                assertThat(known).as(where).contains(word.replaceFirst("=.*", ""));
            }
        }
        assertThat(Arguments.parse(command.syntax(), List.of("--help")).flag("--help")).isTrue();
        return true;
    }

    /// The five-minute tour of README, as far as it needs no browser and no agent: those have tests of their own.
    @Test
    void theTourOfTheReadmeStartsServesAndEndsEverything() throws Exception {
        Path config = Files.createDirectories(folder.resolve("config/belay"));
        Files.writeString(config.resolve("belay.toml"), "[server]\nport = 0\n");
        belay.env("XDG_CONFIG_HOME", config.getParent().toString());
        belay.writeLauncher();
        Files.writeString(folder.resolve("Makefile"), "test:\n\t@echo passed\n");
        Files.setPosixFilePermissions(folder.resolve("Makefile"), PosixFilePermissions.fromString("rw-r--r--"));
        List<String> tour = lines(root().resolve("README.md")).stream()
                .dropWhile(line -> !line.startsWith("./belay open --start"))
                .filter(line -> !line.startsWith("./belay attach") && !line.startsWith("./belay top"))
                .toList();
        assertThat(tour.getLast()).startsWith("./belay stop");
        try {
            for (String line : tour) {
                ProcessBuilder builder = new ProcessBuilder("bash", "-c", line).directory(folder.toFile());
                builder.environment().putAll(belay.env());
                Belay.Outcome outcome = Belay.outcome(builder.start(), new byte[0]);
                assertThat(outcome.code()).as("%s%n%s%s", line, outcome.out(), outcome.err()).isZero();
            }
        } finally {
            belay.run("stop");
        }
        Eventually.see("no process", () -> belay.processes(), List::isEmpty);
    }
}
