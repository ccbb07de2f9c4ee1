package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.ErrorCode;
import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.linux.LinuxHost;
import dev.belay.Sessions;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What of the output an answer holds, and how to get at the rest.
class OutputTest extends AgentRig {
    private static final String LINES = "echo HEAD; seq 100000; echo TAIL";

    private static String lines() {
        StringBuilder all = new StringBuilder("HEAD\r\n");
        for (int i = 1; i <= 100_000; i++) {
            all.append(i).append("\r\n");
        }
        return all.append("TAIL\r\n").toString();
    }

    @Test
    void hugeOutputIsCutInTheMiddleAndTheCallItNamesFetchesTheMiddle() throws InterruptedException {
        ExecResult result = exited(tools.unifiedExec(
                ExecRequest.of(LINES).maxOutputTokens(100).waitFor(WaitFor.exited())));
        String whole = lines();
        assertThat(result.output()).startsWith("HEAD\r\n1\r\n").endsWith("100000\r\nTAIL\r\n");
        assertThat(result.truncated()).isTrue();
        assertThat(result.outputStart()).isZero();
        assertThat(result.outputEnd()).isEqualTo(whole.length());
        assertThat(result.originalTokens()).isBetween(whole.length() / 5L, whole.length() / 3L);
        List<String> marks = result.output().lines().filter(line -> line.startsWith("[Output truncated]")).toList();
        assertThat(marks).singleElement().asString().contains(" " + result.omittedBytes() + " bytes");
        int mark = result.output().indexOf("[Output truncated]");
        String head = result.output().substring(0, mark);
        String tail = result.output().substring(mark + marks.getFirst().length() + 1);
        assertThat(head.length() + tail.length()).isBetween(200, 400);
        assertThat(head.length() + tail.length() + result.omittedBytes()).isEqualTo(whole.length());
        ReadRequest named = named(result.output());
        assertThat(named.from()).isEqualTo(head.length());
        assertThat(head + pages(named, whole.length() - tail.length())
                .substring(0, (int) result.omittedBytes()) + tail).isEqualTo(whole);
    }

    @Test
    void allOfItCanBeReadAgainAfterTheExit() throws InterruptedException {
        String id = run(LINES).sessionId();
        assertThat(pages(ReadRequest.from(id, 0).maxOutputTokens(20_000), lines().length())).isEqualTo(lines());
        OutputResult first = tools.readOutput(new ReadRequest(id, null, null, 10, false));
        assertThat(first.output()).startsWith("HEAD\r\n").hasSizeLessThanOrEqualTo(40);
        assertThat(first.truncated()).isTrue();
        assertThat(first.next()).isEqualTo(first.outputEnd()).isEqualTo(first.output().length());
        assertThat(first.omittedBytes()).isEqualTo(lines().length() - first.output().length());
        assertThat(first.running()).isFalse();
        assertThat(first.exitCode()).isZero();
        OutputResult nothing = tools.readOutput(ReadRequest.from(id, lines().length()));
        assertThat(nothing.success()).isTrue();
        assertThat(nothing.output()).isEmpty();
        assertThat(nothing.truncated()).isFalse();
        for (long beyond : new long[] {-1, lines().length() + 1}) {
            OutputResult refused = tools.readOutput(ReadRequest.from(id, beyond));
            assertThat(refused.success()).isFalse();
            assertThat(refused.error().code()).isEqualTo(ErrorCode.INVALID_REQUEST);
            assertThat(refused.error().message()).contains("ends at " + lines().length());
        }
    }

    @Test
    void theLastLinesCanBeAskedFor() throws InterruptedException {
        String id = run(LINES).sessionId();
        assertThat(tools.readOutput(ReadRequest.tail(id, 1)).output()).isEqualTo("TAIL\r\n");
        OutputResult three = tools.readOutput(ReadRequest.tail(id, 3));
        assertThat(three.output()).isEqualTo("99999\r\n100000\r\nTAIL\r\n");
        assertThat(three.omittedBytes()).isZero();
        assertThat(three.outputEnd()).isEqualTo(three.next()).isEqualTo(lines().length());
        assertThat(pages(ReadRequest.from(id, three.outputStart()), three.next())).isEqualTo(three.output());
        OutputResult cut = tools.readOutput(ReadRequest.tail(id, 50_000).maxOutputTokens(100));
        assertThat(cut.output()).endsWith("100000\r\nTAIL\r\n").hasSizeBetween(200, 400);
        assertThat(cut.truncated()).isTrue();
        String asked = lines().substring(lines().indexOf("\r\n50002\r\n") + 2);
        assertThat(cut.omittedBytes() + cut.output().length()).isEqualTo(asked.length());
        assertThat(tools.readOutput(ReadRequest.tail(id, 200_000).maxOutputTokens(1_000_000)).output())
                .isEqualTo(lines());
        String open = start("printf 'one\\ntwo'; exec sleep 1000", "two").sessionId();
        assertThat(tools.readOutput(ReadRequest.tail(open, 1)).output()).isEqualTo("two");
        String coloured = run("printf 'one\\n\\033[31mred\\033[0m\\n'").sessionId();
        OutputResult stripped = tools.readOutput(new ReadRequest(coloured, null, 1, 100, true));
        assertThat(stripped.output()).isEqualTo("red\n");
        assertThat(stripped.truncated()).isFalse();
    }

    @Test
    void aCharacterThatArrivesInTwoHalvesIsShownWhole() throws InterruptedException {
        ExecRequest request = ExecRequest.of("printf 'a\\303'; read x; printf '\\251b'").pipes();
        ExecResult first = start(request, "a");
        assertThat(first.output()).isEqualTo("a");
        assertThat(first.outputEnd()).isEqualTo(1);
        ExecResult second = exited(
                tools.writeStdin(WriteRequest.to(first.sessionId(), "\n").waitFor(WaitFor.exited())));
        assertThat(second.output()).isEqualTo("éb");
        assertThat(second.outputStart()).isEqualTo(1);
        ExecResult sequence = start(ExecRequest.of("printf 'a\\033[3'; read x; printf '1mb'").pipes(), "a");
        assertThat(sequence.output()).isEqualTo("a");
        assertThat(exited(tools.writeStdin(
                WriteRequest.to(sequence.sessionId(), "\n").waitFor(WaitFor.exited()))).output())
                .isEqualTo("\u001b[31mb");
    }

    @Test
    void whatIsNoTextIsReplacedAndWhatIsNeverFinishedIsShownAtTheEnd() throws InterruptedException {
        assertThat(run("printf 'a\\377b\\300\\200c\\342\\202'").output()).isEqualTo("a\ufffdb\ufffd\ufffdc\ufffd");
        assertThat(run("printf 'a\\033[3'").output()).isEqualTo("a\u001b[3");
        assertThat(exited(tools.unifiedExec(ExecRequest.of("printf 'a\\033[3'").stripped().waitFor(WaitFor.exited())))
                .output()).isEqualTo("a");
    }

    @Test
    void strippedOutputHasNoSequencesAndOnlyTheLastOfEachProgressBar() throws InterruptedException {
        String cmd = "printf '\\033]0;title\\007\\033[1mbold\\033[0m\\n10%%\\r50%%\\r\\033[K100%%\\ndone\\n'";
        assertThat(exited(tools.unifiedExec(ExecRequest.of(cmd).stripped().waitFor(WaitFor.exited()))).output())
                .isEqualTo("bold\n100%\ndone\n");
        assertThat(run(cmd).output()).contains("\u001b[1mbold").contains("10%\r50%\r");
        AgentTools collapsing = tools(SETTINGS.collapseProgress(true));
        ExecResult kept = exited(collapsing.unifiedExec(ExecRequest.of(cmd).waitFor(WaitFor.exited())));
        assertThat(kept.output()).contains("\u001b[1mbold").contains("100%").doesNotContain("50%");
        assertThat(kept.truncated()).isFalse();
        ExecResult bar =
                exited(tools.unifiedExec(ExecRequest.of("for i in {1..5000}; do printf \"\\r$i of 5000\"; done")
                        .stripped().maxOutputTokens(10).waitFor(WaitFor.exited())));
        assertThat(bar.output()).isEqualTo("5000 of 5000");
        assertThat(bar.truncated()).isFalse();
    }

    @Test
    void anExactTokenizerCutsWhereItCounts() throws InterruptedException {
        AgentTools exact = tools(SETTINGS.tokens(Tokens.exact()));
        for (String cmd : List.of(LINES, "for i in {1..300}; do printf '日本語😀'; done",
                "head -c 3000 /dev/zero | tr '\\0' ' '")) {
            ExecResult result = exited(
                    exact.unifiedExec(ExecRequest.of(cmd).maxOutputTokens(100).waitFor(WaitFor.exited())));
            String shown = result.output().lines()
                    .filter(line -> !line.startsWith("[Output truncated]"))
                    .reduce("", (a, b) -> a + b + "\n");
            assertThat(Tokens.exact().count(shown)).as(cmd).isBetween(1L, 110L);
            assertThat(result.originalTokens()).as(cmd).isPositive();
            String whole =
                    exact.readOutput(ReadRequest.from(result.sessionId(), 0).maxOutputTokens(1_000_000)).output();
            int mark = result.output().indexOf("[Output truncated]");
            if (mark >= 0) {
                assertThat(whole).startsWith(result.output().substring(0, mark).stripTrailing());
                assertThat(result.output()).as("the tail of %s", cmd)
                        .doesNotEndWith("fetches them.\n").endsWith(whole.substring(whole.length() - 1));
            }
        }
    }

    @Test
    void aPageAlwaysGetsOnHoweverSmallTheBudget() throws Exception {
        byte[] bytes = "\u001b]0;a title that is longer than the page\u0007😀é\u001b[38;5;196mred\u001b[0m日本"
                .getBytes(StandardCharsets.UTF_8);
        Session session = printing(bytes);
        for (Tokens tokens : List.of(Tokens.approximate(), Tokens.exact())) {
            StringBuilder all = new StringBuilder();
            for (long at = 0; at < bytes.length;) {
                Excerpt page = Excerpt.beginning(
                        session.output(), at, bytes.length, true, new Excerpt.Form(tokens, 1, false, false));
                assertThat(page.next()).isGreaterThan(at);
                all.append(page.text());
                at = page.next();
            }
            assertThat(all.toString()).isEqualTo(new String(bytes, StandardCharsets.UTF_8));
        }
    }

    @Test
    void outputThatTheLogNoLongerHasIsCounted() throws Exception {
        try (Sessions small = Sessions.builder(LinuxHost.at(workspace)).state(folder.resolve("small"))
                .limits(Limits.DEFAULT.logBytes(Limits.MIN_LOG_BYTES)).build()) {
            AgentTools of = new AgentTools(small, SETTINGS);
            for (int tokens : new int[] {1, 10, 100, 1000, 1_000_000}) {
                ExecResult result = exited(of.unifiedExec(
                        ExecRequest.of(LINES).maxOutputTokens(tokens).waitFor(WaitFor.exited())));
                assertThat(result.outputEnd()).isEqualTo(lines().length());
                String shown = result.output().replaceAll("(?m)^\\[Output truncated\\].*\n", "");
                long feedsAdded = result.output().contains("\n\n[Output") ? 1 : 0;
                assertThat(shown.length() + result.omittedBytes()).as("%d tokens", tokens)
                        .isBetween(lines().length() - 0L, lines().length() + 1L + feedsAdded);
                of.closePtySession(result.sessionId(), true);
            }
        }
    }
}
