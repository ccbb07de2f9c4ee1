package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// The real command, started as `./belay` starts it, with a state folder of its own.
final class Belay {
    static final long PATIENCE_SECONDS = 60;

    private static final List<String> FLAGS = List.of(
            "-XX:-MaxFDLimit",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:+DisplayVMOutputToStderr",
            "-Xlog:disable",
            "-Xlog:all=warning:stderr",
            "--enable-native-access=dev.belay.linux");

    private final Path folder;
    private final Map<String, String> env = new HashMap<>();

    /// @param folder for the state folder and for the working folder of all commands
    Belay(Path folder) {
        this.folder = folder;
        env.put("XDG_STATE_HOME", state().toString());
        env.put("LC_ALL", "C.UTF-8");
    }

    /// How a command ended and what it wrote.
    @SuppressWarnings("ArrayRecordComponent")
    record Outcome(int code, byte[] bytes, String err) {
        String out() {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    Path state() {
        return folder.resolve("state");
    }

    Belay env(String name, String value) {
        env.put(name, value);
        return this;
    }

    /// What is set for belay beyond what this JVM has.
    Map<String, String> env() {
        return Map.copyOf(env);
    }

    Outcome run(String... args) throws Exception {
        return feed(new byte[0], args);
    }

    Outcome feed(String input, String... args) throws Exception {
        return feed(input.getBytes(StandardCharsets.UTF_8), args);
    }

    /// Runs with this on its standard input.
    Outcome feed(byte[] input, String... args) throws Exception {
        return outcome(start(args), input);
    }

    Process start(String... args) throws IOException {
        return start(command(args));
    }

    /// Starts any command as belay is started.
    Process start(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().putAll(env);
        return builder.start();
    }

    static Outcome outcome(Process process, byte[] input) throws Exception {
        CompletableFuture<byte[]> out = reading(process.getInputStream());
        CompletableFuture<byte[]> err = reading(process.getErrorStream());
        Thread.ofVirtual().start(() -> write(process.getOutputStream(), input));
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("belay ends").isTrue();
            byte[] printed = out.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            String errors = new String(err.get(PATIENCE_SECONDS, TimeUnit.SECONDS), StandardCharsets.UTF_8);
            return new Outcome(process.exitValue(), printed, errors);
        } finally {
            process.destroyForcibly();
        }
    }

    private static CompletableFuture<byte[]> reading(InputStream stream) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try (stream) {
                        return stream.readAllBytes();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                task -> Thread.ofPlatform().daemon().start(task));
    }

    private static void write(OutputStream stream, byte[] input) {
        try (stream) {
            stream.write(input);
        } catch (IOException _) {
            // It has ended without reading everything.
        }
    }

    /// A program `belay` in the folder that does the same, for shells; it leaves its process id in `belay.pid`.
    void writeLauncher() throws IOException {
        StringBuilder script = new StringBuilder("#!/bin/sh\necho $$ > " + folder.resolve("belay.pid") + "\n");
        env.forEach((name, value) -> script.append("export ").append(name).append("='").append(value).append("'\n"));
        script.append("exec");
        for (String word : command()) {
            script.append(" '").append(word).append('\'');
        }
        Path launcher = folder.resolve("belay");
        Files.writeString(launcher, script.append(" \"$@\"\n"));
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /// The launcher of the source tree, `./belay`, with the app under test beside it and nothing that it could build.
    Path launcher() throws IOException {
        Path tree = Path.of("..").toRealPath();
        Path app = Files.createDirectories(folder.resolve("tree/cli/target/app"));
        Path scripts = Files.createDirectories(folder.resolve("tree/scripts"));
        Files.createSymbolicLink(app.resolve("lib"), Path.of(System.getProperty("belay.app")).toRealPath());
        Files.copy(tree.resolve("scripts/find-jdk.sh"), scripts.resolve("find-jdk.sh"));
        return Files.copy(
                tree.resolve("belay"), folder.resolve("tree/belay"), java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
    }

    /// The words that start belay with default signals, as a shell in the foreground does. The tests may run with
    /// ignored signals, as under nohup, and children inherit that.
    static List<String> command(String... args) {
        List<String> command = new ArrayList<>(List.of("/usr/bin/env", "--default-signal"));
        command.addAll(jvm(args));
        return command;
    }

    /// The words of belay alone: it ignores what its parent ignores.
    static List<String> jvm(String... args) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        command.addAll(List.of("-p", System.getProperty("belay.app"), "-m", "dev.belay.cli/dev.belay.cli.Main"));
        command.addAll(List.of(args));
        return command;
    }

    /// The process that the launcher became.
    ProcessHandle launched() throws IOException {
        String pid = Files.readString(folder.resolve("belay.pid")).strip();
        return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
    }

    /// What runs now and was started through this belay, itself included: all of it has inherited the state folder.
    List<String> processes() throws IOException {
        String mark = "XDG_STATE_HOME=" + state() + "\0";
        List<String> found = new ArrayList<>();
        try (var entries = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path entry : entries) {
                try {
                    String variables = Files.readString(entry.resolve("environ"), StandardCharsets.ISO_8859_1);
                    if (("\0" + variables).contains("\0" + mark)) {
                        found.add(entry.getFileName() + " "
                                + Files.readString(entry.resolve("cmdline"), StandardCharsets.ISO_8859_1)
                                        .replace('\0', ' '));
                    }
                } catch (IOException _) {
                    // Gone, or somebody else's.
                }
            }
        }
        return found;
    }

    /// Files of sessions that are left in the state folder.
    List<Path> leftFiles() throws IOException {
        if (!Files.exists(state())) {
            return List.of();
        }
        try (var files = Files.walk(state())) {
            return files.filter(Files::isRegularFile).toList();
        }
    }
}
