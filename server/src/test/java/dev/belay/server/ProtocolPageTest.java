package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// The client in docs/protocol.md works as it stands there.
class ProtocolPageTest extends WithServer {
    @Test
    void theClientOfThePageTypesPrintsAndExitsWithTheSession() throws Exception {
        String page;
        try (InputStream text = ProtocolPageTest.class.getResourceAsStream("/protocol.md")) {
            page = new String(text.readAllBytes(), StandardCharsets.UTF_8);
        }
        int from = page.indexOf("```java\n") + "```java\n".length();
        Path program = folder.resolve("View.java");
        Files.writeString(program, page.substring(from, page.indexOf("```", from)));
        String id = api.open(ALICE, "stty -echo; read line; echo \"you said $line\"; exit 5");
        Process client = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                program.toString(), server.address(), ALICE, id, "hello")
                .redirectErrorStream(true)
                .start();
        try {
            String printed = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(client.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(printed).contains("you said hello");
            assertThat(client.exitValue()).isEqualTo(5);
        } finally {
            client.destroyForcibly();
        }
    }
}
