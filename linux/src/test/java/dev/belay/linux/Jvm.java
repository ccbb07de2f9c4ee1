package dev.belay.linux;

import dev.belay.Sessions;
import java.io.File;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Starts JVMs that have Belay on their class path.
final class Jvm {
    private Jvm() {}

    static String classPath() {
        Stream<String> ours = Stream.of(Sessions.class, LinuxHost.class, Probe.class).map(Jvm::placeOf);
        return Stream.concat(ours, Stream.of(jarOf("com/google/re2j/Pattern.class")))
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String placeOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static String jarOf(String resource) {
        try {
            var connection = (JarURLConnection) ClassLoader.getSystemResource(resource).openConnection();
            return Path.of(connection.getJarFileURL().toURI()).toString();
        } catch (IOException | URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    static List<String> command(List<String> options, String... program) {
        List<String> command = new ArrayList<>(List.of(java(), "-Xshare:auto", "-XX:TieredStopAtLevel=1"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath()));
        command.addAll(List.of(program));
        return command;
    }

    static List<String> probe(String... args) {
        List<String> program = new ArrayList<>(List.of(Probe.class.getName()));
        program.addAll(List.of(args));
        return command(List.of("--enable-native-access=ALL-UNNAMED"), program.toArray(String[]::new));
    }

    /// Waits for its end and returns standard output and standard error together.
    static String run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        process.waitFor();
        return said;
    }
}
