package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import dev.belay.Sessions;
import dev.belay.linux.LinuxHost;
import dev.belay.screen.Screen;
import dev.belay.screens.Screens;
import java.io.File;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The program in the documentation.
@Timeout(300)
class ExampleTest {
    @TempDir
    Path folder = Path.of("");

    @Test
    void theProgramInTheDocumentationRuns() throws Exception {
        String page;
        try (var text = Objects.requireNonNull(ExampleTest.class.getResourceAsStream("/agents.md"))) {
            page = new String(text.readAllBytes(), StandardCharsets.UTF_8);
        }
        int start = page.indexOf("```java\n") + "```java\n".length();
        String program = page.substring(start, page.indexOf("```", start));
        assertThat(program.lines().count()).isLessThan(30);
        Path source = Files.writeString(folder.resolve("SmallAgent.java"), program);
        String classPath = Stream.of(Sessions.class, LinuxHost.class, AgentTools.class, Pattern.class, Screen.class,
                Screens.class)
                .map(ExampleTest::placeOf)
                .collect(Collectors.joining(File.pathSeparator));
        Process process = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-Duser.home=" + folder,
                "-cp",
                classPath,
                source.toString())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said).isEqualTo("done, exit code 3\nanswer: 42\n");
    }

    /// The folder or jar that a class comes from; in a module its address is no file's.
    private static String placeOf(Class<?> type) {
        String name = type.getName().replace('.', '/') + ".class";
        try {
            URL place = Objects.requireNonNull(type.getClassLoader()).getResource(name);
            if (Objects.requireNonNull(place).openConnection() instanceof JarURLConnection jar) {
                return Path.of(jar.getJarFileURL().toURI()).toString();
            }
            return Path.of(URI.create(place.toString().substring(0, place.toString().length() - name.length())))
                    .toString();
        } catch (IOException | java.net.URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
