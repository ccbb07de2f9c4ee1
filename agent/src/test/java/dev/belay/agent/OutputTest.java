package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.ErrorCode;
import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.Sessions;
import dev.belay.linux.LinuxHost;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// What of the output an answer holds, and how to get at the rest.
class OutputTest extends AgentRig {
    private static final String LINES = "echo HEAD; seq 100000; echo TAIL";

    /// On pipes, where a byte printed is a byte shown.
    @Override
    ExecResult run(String cmd) throws InterruptedException {
        return exited(tools.unifiedExec(ExecRequest.of(cmd).pipes().waitFor(WaitFor.exited())));
    }

    private static String lines() {
        StringBuilder all = new StringBuilder("HEAD\n");
        for (int i = 1; i <= 100_000; i++) {
            all.append(i).append("\n");
        }
        return all.append("TAIL\n").toString();
    }

    @Test
    void hugeOutputIsCutInTheMiddleAndTheCallItNamesFetchesTheMiddle() throws InterruptedException {
        ExecResult result = exited(tools.unifiedExec(
                ExecRequest.of(LINES).pipes().maxOutputTokens(100).waitFor(WaitFor.exited())));
        String whole = lines();
        assertThat(result.output()).startsWith("HEAD\n1\n").endsWith("100000\nTAIL\n");
        assertThat(result.truncated()).isTrue();
        assertThat(result.outputStart()).isZero();
        assertThat(result.outputEnd()).isEqualTo(whole.length());
        assertThat(result.originalTokens()).isBetween(whole.length() / 5L, (long) whole.length());
        List<String> marks = result.output().lines().filter(line -> line.startsWith("[Output truncated]")).toList();
        assertThat(marks).singleElement().asString().contains(" " + result.omittedBytes() + " bytes");
        int mark = result.output().indexOf("[Output truncated]");
        String head = result.output().substring(0, mark);
        String tail = result.output().substring(mark + marks.getFirst().length() + 1);
        assertThat(head.length() + tail.length()).isBetween(100, 400);
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
        OutputResult first = tools.readOutput(new ReadRequest(id, null, null, null, 10, View.AUTO));
        assertThat(first.output()).startsWith("HEAD\n").hasSizeLessThanOrEqualTo(40);
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
        assertThat(tools.readOutput(ReadRequest.tail(id, 1)).output()).isEqualTo("TAIL\n");
        OutputResult three = tools.readOutput(ReadRequest.tail(id, 3));
        assertThat(three.output()).isEqualTo("99999\n100000\nTAIL\n");
        assertThat(three.omittedBytes()).isZero();
        assertThat(three.outputEnd()).isEqualTo(three.next()).isEqualTo(lines().length());
        assertThat(pages(ReadRequest.from(id, three.outputStart()), three.next())).isEqualTo(three.output());
        OutputResult cut = tools.readOutput(ReadRequest.tail(id, 50_000).maxOutputTokens(100));
        assertThat(cut.output()).endsWith("100000\nTAIL\n").hasSizeBetween(100, 400);
        assertThat(cut.truncated()).isTrue();
        String asked = lines().substring(lines().indexOf("\n50002\n") + 1);
        assertThat(cut.omittedBytes() + cut.output().length()).isEqualTo(asked.length());
        assertThat(tools.readOutput(ReadRequest.tail(id, 200_000).maxOutputTokens(1_000_000)).output())
                .isEqualTo(lines());
        String open = start("printf 'one\\ntwo'; exec sleep 1000", "two").sessionId();
        assertThat(tools.readOutput(ReadRequest.tail(open, 1)).output()).isEqualTo("two");
        String coloured = run("printf 'one\\n\\033[31mred\\033[0m\\n'").sessionId();
        OutputResult stripped = tools.readOutput(ReadRequest.tail(coloured, 1).maxOutputTokens(100));
        assertThat(stripped.output()).isEqualTo("red\n");
        assertThat(stripped.truncated()).isFalse();
    }

    @Test
    void linesThatMatchComeWithTheirOffsets() throws InterruptedException {
        String id = run(LINES).sessionId();
        OutputResult found = tools.readOutput(ReadRequest.match(id, "^9999.$|TAIL"));
        assertThat(found.success()).as("%s", found).isTrue();
        assertThat(found.output().lines()).hasSize(11).allSatisfy(line -> {
            String[] parts = line.split(": ", 2);
            assertThat(lines().substring(Integer.parseInt(parts[0]))).startsWith(parts[1] + "\n");
        });
        assertThat(found.output()).contains(": 99990\n", ": TAIL\n");
        assertThat(found.truncated()).isFalse();
        assertThat(found.next()).isEqualTo(lines().length());
        assertThat(tools.readOutput(ReadRequest.match(id, "nowhere")).output()).isEqualTo("[no line matches]\n");
    }

    @Test
    void aSearchThatFindsTooMuchGoesOnWhereItStopped() throws InterruptedException {
        String id = run(LINES).sessionId();
        StringBuilder all = new StringBuilder();
        long from = 0;
        do {
            OutputResult part = tools.readOutput(
                    new ReadRequest(id, from, null, "^[0-9]*77$", 1_000, View.AUTO));
            assertThat(part.output().length()).isLessThan(8_000);
            part.output().lines().forEach(line -> all.append(line.substring(line.indexOf(' ') + 1)).append('\n'));
            assertThat(part.truncated()).isEqualTo(part.next() < lines().length());
            assertThat(part.next()).isGreaterThan(from);
            from = part.next();
        } while (from < lines().length());
        assertThat(all.toString()).isEqualTo(lines().lines().filter(line -> line.endsWith("77"))
                .collect(Collectors.joining("\n", "", "\n")));
    }

    @Test
    void aSearchThatMakesNoSenseIsRefused() throws InterruptedException {
        String id = run("echo one").sessionId();
        OutputResult invalid = tools.readOutput(ReadRequest.match(id, "a(b"));
        assertThat(invalid.error().code()).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(invalid.error().message()).contains("a(b");
        assertThatThrownBy(() -> new ReadRequest(id, null, 3, "x", 100, View.AUTO))
                .hasMessageContaining("match or tail");
        assertThatThrownBy(() -> ReadRequest.match(id, "x").view(View.SCREEN)).hasMessageContaining("screen");
    }

    @Test
    void theMiddleOfHugeOutputIsNotRenderedButCounted() throws InterruptedException {
        String cmd = "printf 'HEAD\\n'; yes 'a \033[32mgreen\033[0m line' | head -n 100000; printf 'TAIL\\n'";
        ExecResult result = exited(tools.unifiedExec(
                ExecRequest.of(cmd).maxOutputTokens(200).waitFor(WaitFor.exited())));
        assertThat(result.output()).startsWith("HEAD\na green line\n").endsWith("a green line\nTAIL\n");
        assertThat(result.output().lines().filter(line -> line.startsWith("[Output truncated]"))).hasSize(1);
        assertThat(result.output().lines().filter(line -> !line.startsWith("[Output truncated]")).distinct())
                .containsExactlyInAnyOrder("HEAD", "a green line", "TAIL");
        ReadRequest named = named(result.output());
        long shownAtTheEnd = result.outputEnd() - named.from() - result.omittedBytes();
        assertThat(tools.readOutput(ReadRequest.from(result.sessionId(), result.outputEnd() - shownAtTheEnd)).output())
                .isEqualTo(result.output().substring(result.output().indexOf("fetches them.") + 14));
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
                WriteRequest.to(sequence.sessionId(), "\n").view(View.RAW).waitFor(WaitFor.exited()))).output())
                .isEqualTo("\u001b[31mb");
    }

    @Test
    void whatIsNoTextIsReplacedAndWhatIsNeverFinishedIsShownAtTheEnd() throws InterruptedException {
        assertThat(run("printf 'a\\377b\\300\\200c\\342\\202'").output()).isEqualTo("a\ufffdb\ufffd\ufffdc\ufffd");
        ExecRequest broken = ExecRequest.of("printf 'a\\033[3'").waitFor(WaitFor.exited());
        assertThat(exited(tools.unifiedExec(broken.view(View.RAW))).output()).isEqualTo("a\u001b[3");
        assertThat(exited(tools.unifiedExec(broken)).output()).isEqualTo("a");
    }

    @Test
    void outputHasNoSequencesAndOnlyTheLastOfEachProgressBar() throws InterruptedException {
        String cmd = "printf '\\033]0;title\\007\\033[1mbold\\033[0m\\n10%%\\r50%%\\r\\033[K100%%\\ndone\\n'";
        assertThat(exited(tools.unifiedExec(ExecRequest.of(cmd).waitFor(WaitFor.exited()))).output())
                .isEqualTo("bold\n100%\ndone\n");
        ExecResult raw =
                exited(tools.unifiedExec(ExecRequest.of(cmd).view(View.RAW).waitFor(WaitFor.exited())));
        assertThat(raw.output()).contains("\u001b[1mbold").contains("10%\r50%\r");
        String bars = "for i in 1 2 3; do printf \"a $i\\nb $i\\n\\033[2A\"; done; printf '\\n\\nend\\n'";
        assertThat(exited(tools.unifiedExec(ExecRequest.of(bars).waitFor(WaitFor.exited()))).output())
                .isEqualTo("a 3\nb 3\nend\n");
        String wrapped = "printf '%0200d\\n' 7";
        assertThat(exited(tools.unifiedExec(ExecRequest.of(wrapped).waitFor(WaitFor.exited()))).output())
                .isEqualTo("0".repeat(199) + "7\n");
        ExecResult bar =
                exited(tools.unifiedExec(ExecRequest.of("for i in {1..5000}; do printf \"\\r$i of 5000\"; done")
                        .maxOutputTokens(10).waitFor(WaitFor.exited())));
        assertThat(bar.output()).isEqualTo("5000 of 5000");
        assertThat(bar.truncated()).isFalse();
    }

    @Test
    void anExactTokenizerCutsWhereItCounts() throws InterruptedException {
        Tokens tokens = new ExactTokens();
        AgentTools exact = tools(SETTINGS.tokens(tokens));
        for (String cmd : List.of(LINES, "for i in {1..300}; do printf '日本語😀'; done",
                "head -c 3000 /dev/zero | tr '\\0' ' '")) {
            ExecResult result = exited(
                    exact.unifiedExec(ExecRequest.of(cmd).maxOutputTokens(100).waitFor(WaitFor.exited())));
            String shown = result.output().lines()
                    .filter(line -> !line.startsWith("[Output truncated]"))
                    .reduce("", (a, b) -> a + b + "\n");
            assertThat(tokens.count(shown)).as(cmd).isBetween(1L, 110L);
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
        for (Tokens tokens : List.of(Tokens.estimated(), new ExactTokens())) {
            StringBuilder all = new StringBuilder();
            for (long at = 0; at < bytes.length;) {
                Excerpt page = Excerpt.beginning(
                        session.output(), at, bytes.length, true, new Excerpt.Form(tokens, 1, true, null, false));
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
                .limits(Limits.DEFAULT.logBytes(Limits.MIN_LOG_BYTES)).build();
                AgentTools of = new AgentTools(small, SETTINGS)) {
            for (int tokens : new int[] {1, 10, 100, 1000, 1_000_000}) {
                ExecResult result = exited(of.unifiedExec(
                        ExecRequest.of(LINES).pipes().maxOutputTokens(tokens).waitFor(WaitFor.exited())));
                assertThat(result.outputEnd()).isEqualTo(lines().length());
                String shown = result.output().replaceAll("(?m)^\\[Output truncated\\].*\n", "");
                long feedsAdded = result.output().contains("\n\n[Output") ? 1 : 0;
                assertThat(shown.length() + result.omittedBytes()).as("%d tokens", tokens)
                        .isBetween(lines().length() - 0L, lines().length() + 1L + feedsAdded);
                of.closePtySession(result.sessionId(), true);
            }
        }
    }

    @Test
    void theBudgetHoldsForWhateverIsPrinted() throws InterruptedException {
        Tokens exact = new ExactTokens();
        String prose =
                "for i in {1..3000}; do echo \"The quick brown fox jumps over $i lazy dogs, and nobody minds.\"; done";
        for (String cmd : List.of("seq 100000", "head -c 200000 /dev/urandom | base64", prose,
                "head -c 100000 /dev/urandom | od -An -tx1", "for i in {1..9000}; do printf '天地玄黃宇宙洪荒'; done",
                "head -c 300000 /dev/urandom | LC_ALL=C tr -d '\\000-\\177'",
                "for i in {1..9000}; do printf '{\"id\":%d,\"ok\":true},' $i; done")) {
            for (int most : new int[] {1000, 10_000}) {
                ExecResult result = exited(tools.unifiedExec(
                        ExecRequest.of(cmd).pipes().maxOutputTokens(most).waitFor(WaitFor.exited())));
                assertThat(exact.count(result.output())).as("%s, %d", cmd, most).isBetween(10L, (long) most);
            }
        }
    }

    @Test
    void binaryOutputIsToldWithItsOffsetsAndNotShown() throws InterruptedException {
        ExecResult result = exited(tools.unifiedExec(ExecRequest.of(
                "echo before; sleep 0.1; head -c 50000 /dev/urandom; sleep 0.1; echo; echo after").pipes()
                .waitFor(WaitFor.exited())));
        assertThat(result.output()).startsWith("before\n").endsWith("after\n")
                .containsPattern("\\[Binary output\\] \\d{5} bytes from offset \\d+ are not shown");
        assertThat(result.output().length()).isLessThan(20_000);
    }
}
