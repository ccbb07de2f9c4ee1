package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// `belay approvals`, `approve` and `deny`, with a server that watches its sessions.
class ApprovalCommandsTest extends WithBelay {
    private RunningServer server;

    @BeforeEach
    void serve() throws Exception {
        Path settings = Files.writeString(folder.resolve("belay.toml"), """
                [approvals]
                watch = ["api"]
                [[agent.rules]]
                name = "machine"
                action = "ask"
                programs = ["uname"]
                """);
        server = new RunningServer(belay, "--config", settings.toString());
    }

    @AfterEach
    void end() throws Exception {
        server.end();
        server.close();
    }

    private String out(String... args) throws Exception {
        Belay.Outcome outcome = belay.run(args);
        assertThat(outcome.code()).as(outcome.err()).isZero();
        return outcome.out();
    }

    private JsonNode asked() throws Exception {
        String list = Eventually.see("a question", () -> out("approvals", "--json"), text -> !text.isEmpty());
        return new JsonMapper().readTree(list.lines().findFirst().orElseThrow());
    }

    @Test
    void aQuestionIsShownAndAnswered() throws Exception {
        assertThat(out("approvals")).isEqualTo("Nothing waits for an approval.\n");
        out("open", "--name", "one", "--", "sh", "-c", "uname -s; echo end; read x");
        String id = asked().path("id").asString();
        assertThat(out("approvals")).startsWith(id + "  'uname -s'\n").contains("session one of admin, rule 'machine'")
                .contains("from 'sh -c \"uname -s; echo end; read x\"'");
        assertThat(belay.run("approve", "--scope", "ever", id).code()).isNotZero();
        Belay.Outcome refused = belay.run("approve", "--scope", "conversation", id);
        assertThat(refused.code()).isNotZero();
        assertThat(refused.err()).contains("belongs to no agent's conversation");
        assertThat(belay.run("approve", "--words", "0", id).code()).isEqualTo(2);
        assertThat(belay.run("deny", "none-such").code()).isEqualTo(3);
        out("approve", id.substring(0, 5));
        assertThat(out("wait", "one", "--match", "end", "--timeout", "50s")).isNotEmpty();
        assertThat(out("read", "one", "--strip-ansi")).contains("Linux");
        assertThat(belay.run("approve", id).code()).isEqualTo(3);
        out("close", "one");
    }

    /// A long run of blanks, and what would end the line, change the direction or move the cursor, hid the end.
    @Test
    void allWordsOfAQuestionAreShown() throws Exception {
        out("open", "--name", "long", "--", "sh", "-c",
                "uname \"-c$(printf '%190s' '')\" \"$(printf '\\033[2K\\nAPPROVED\\342\\200\\256')\" --force; read x");
        String id = asked().path("id").asString();
        assertThat(out("approvals").lines().findFirst().orElse("")).isEqualTo(
                id + "  'uname \"-c⟦␠×190⟧\" \"\\u001b[2K\\u000aAPPROVED\\u202e\" --force'");
        assertThat(out("approvals", "--json")).doesNotContain("\u202e").contains("APPROVED\\u202e");
        out("deny", id);
        out("close", "long");
    }

    @Test
    void aRefusalReachesTheProgram() throws Exception {
        out("open", "--name", "two", "--", "sh", "-c", "uname -s || echo refused; read x");
        assertThat(out("deny", "--scope", "session", asked().path("id").asString()))
                .contains("same program in the same folder, with the same words");
        assertThat(out("wait", "two", "--match", "refused", "--timeout", "50s")).isNotEmpty();
        out("close", "two");
    }
}
