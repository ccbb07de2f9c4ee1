package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// `belay-client` and xterm.js in Chromium; `client/test/browser.js` has what they do.
@Tag("slow")
@Tag("any-user")
class BrowserTest extends WithServer {
    private static final Path PICTURES = Path.of("target/pictures");

    /// What each program ends with on the screen.
    private final Map<String, String> marks = new LinkedHashMap<>();

    private void open(String id, String command, String mark) throws Exception {
        String cmd = "stty -echo; echo ready; read x; stty echo; clear; " + command;
        Api.Answer opened = api.post(ALICE, "/api/sessions", new JsonMapper().writeValueAsString(
                Map.of("id", id, "cmd", cmd, "env", Map.of("LANG", "C.UTF-8", "TERM", "xterm-256color"))));
        assertThat(opened.status()).as("%s", opened).isEqualTo(201);
        marks.put(id, mark);
    }

    @Test
    void aPageThatComesLateLooksLikeOneThatWatchedFromTheBeginning() throws Exception {
        Path file = folder.resolve("workspace/Sample.java");
        Files.writeString(file, "/// A sample.\nclass Sample {\n    int answer = 42; // 漢字\n}\n".repeat(40));
        Files.writeString(folder.resolve("workspace/build.sh"), """
                i=0
                while [ $i -lt 3000 ]; do
                    i=$((i + 1))
                    n=$((i % 256))
                    printf '\\033[1m[%d/3000]\\033[0m \\033[38;5;%dmCompiling\\033[0m ' $i $n
                    printf '\\033[38;2;%d;90;160mmodule-%d\\033[0m' $n $i
                    [ $((i % 50)) -ne 0 ] || printf ' \\033[33;4mwarning\\033[0m: \\033[7mold\\033[0m %080d' $i
                    printf '\\n'
                done
                printf '\\033[32mBUILD SUCCESS\\033[0m'; exec sleep 1000
                """);
        Files.writeString(folder.resolve("workspace/cjk.txt"),
                "漢字かな交じり文 한국어 텍스트 ｆｕｌｌ e\u0301 👍 → at the edge of the row: 日本語の文章\n"
                        .repeat(30));
        open("vim", "exec vim -u NONE -N -n -i NONE -c 'syntax on' -c 'set nu hlsearch' -c /answer Sample.java",
                "answer");
        open("htop", "exec htop -d 100", "F10");
        open("build", "exec sh build.sh", "BUILD SUCCESS");
        open("cjk", "cat cjk.txt; printf 'all shown'; exec sleep 1000", "all shown");
        List<String> args = new ArrayList<>(
                List.of(server.address(), ALICE, "same", PICTURES.toAbsolutePath().toString()));
        marks.forEach((id, mark) -> args.add(id + "=" + mark));
        JsonNode seen = Node.run("browser.js", args.toArray(String[]::new));
        System.out.println("Chromium: " + seen);
        assertThat(seen.propertyNames()).containsExactlyElementsOf(marks.keySet());
        assertThat(seen.at("/vim/cursor/2").asString()).isEqualTo("alternate");
        assertThat(seen.at("/cjk/cursor/3").asString()).as("widths").isEqualTo("11");
    }
}
