package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.OutputLog;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Cutting random output: text, escape sequences whole and broken, bytes that are nothing. `-Dbelay.seed=N` repeats it.
class ExcerptFuzzTest extends AgentRig {
    private static final List<String> SEQUENCES =
            List.of("\u001b[31m", "\u001b[0m", "\u001b[38;2;1;2;3m", "\u001b]0;tïtle\u0007",
                    "\u001b]8;;http://x\u001b\\", "\u001bP1$r\u001b\\", "\u001b(B", "\u001b7", "\u001b[?2004h",
                    "\u009b1m", "\u001b[3\n1m");
    private static final List<String> TEXTS =
            List.of("a", "line\n", "é", "日", "😀", "\r", "\t", "10%\r", "word ", "\r\n", "\b");
    private static final Pattern MARK =
            Pattern.compile("\n?\\[Output truncated\\] (\\d+) bytes are missing from (\\d+)\n");

    private final long seed = Long.getLong("belay.seed", System.nanoTime());
    private final Random random = new Random(seed);

    /// Without what moves the cursor back: pages that end within an overwritten line would show it twice.
    private static byte[] forward(byte[] all) {
        byte[] bytes = new String(all, StandardCharsets.ISO_8859_1).replace("\u001b[3\n1m", "")
                .getBytes(StandardCharsets.ISO_8859_1);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte each : bytes) {
            if (each != '\r' && each != '\b') {
                out.write(each);
            }
        }
        return out.toByteArray();
    }

    private byte[] bytes(boolean valid) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = random.nextInt(400); i > 0; i--) {
            int kind = random.nextInt(valid ? 8 : 10);
            if (kind < 5) {
                out.writeBytes(TEXTS.get(random.nextInt(TEXTS.size())).getBytes(StandardCharsets.UTF_8));
            } else if (kind < 8) {
                out.writeBytes(SEQUENCES.get(random.nextInt(SEQUENCES.size())).getBytes(StandardCharsets.UTF_8));
            } else if (kind == 8) {
                out.write(random.nextInt(256));
            } else {
                byte[] whole =
                        (TEXTS.get(random.nextInt(TEXTS.size())) + SEQUENCES.get(random.nextInt(SEQUENCES.size())))
                                .getBytes(StandardCharsets.UTF_8);
                out.write(whole, 0, random.nextInt(whole.length));
            }
        }
        return out.toByteArray();
    }

    private Excerpt.Form form(int tokens, boolean strip) {
        return new Excerpt.Form(Tokens.estimated(), tokens, !strip, null, false);
    }

    @Test
    void whateverIsPrintedIsCutAtWholeThingsAndNothingIsLost() throws Exception {
        for (int round = 0; round < 60; round++) {
            boolean valid = round % 2 == 0;
            byte[] any = bytes(valid);
            for (boolean strip : new boolean[] {false, true}) {
                byte[] bytes = strip ? forward(any) : any;
                OutputLog log = printing(bytes).output();
                try {
                    look(log, bytes, valid, strip);
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("-Dbelay.seed=" + seed + ", round " + round + ", strip " + strip, e);
                }
            }
            sessions.closeAll();
        }
    }

    private void look(OutputLog log, byte[] bytes, boolean valid, boolean strip) {
        Excerpt.Form all = form(1_000_000, strip);
        String whole = Excerpt.beginning(log, 0, bytes.length, true, all).text();
        if (valid && !strip) {
            assertThat(whole).isEqualTo(new String(bytes, StandardCharsets.UTF_8));
        }
        if (strip) {
            assertThat(whole).doesNotContain("\u001b").doesNotContain("\u009b");
        }
        assertThat(Excerpt.ends(log, 0, bytes.length, true, all, _ -> false, (_, _) -> "").text()).isEqualTo(whole);
        if (strip && !valid) {
            return;
        }
        for (int tokens : new int[] {1, 2, 3, 7, 20, 100}) {
            assertThat(pages(log, 0, bytes.length, form(tokens, strip))).as("pages of %d", tokens).isEqualTo(whole);
            ends(log, bytes, valid, whole, form(tokens, strip));
            tail(log, bytes, form(tokens, strip));
        }
        assertThat(polls(log, bytes.length, strip)).as("polls").isEqualTo(whole);
    }

    private static String pages(OutputLog log, long from, long to, Excerpt.Form form) {
        StringBuilder text = new StringBuilder();
        for (long at = from; at < to;) {
            Excerpt page = Excerpt.beginning(log, at, to, true, form);
            assertThat(page.start()).isEqualTo(at);
            assertThat(page.next()).isGreaterThan(at);
            assertThat(page.omitted()).isZero();
            assertNoLoneSurrogate(page.text());
            at = page.next();
            text.append(page.text());
        }
        return text.toString();
    }

    /// Head and tail are a beginning and an end of the whole, and what the mark names is what lies between them.
    private static void ends(OutputLog log, byte[] bytes, boolean valid, String whole, Excerpt.Form form) {
        Excerpt cut = Excerpt.ends(log, 0, bytes.length, true, form, _ -> false,
                (missing, from) -> missing + " bytes are missing from " + from);
        assertThat(cut.start()).isZero();
        assertThat(cut.next()).isEqualTo(bytes.length);
        Matcher mark = MARK.matcher(cut.text());
        if (!mark.find()) {
            assertThat(cut.omitted()).isZero();
            assertThat(cut.text()).isEqualTo(whole);
            return;
        }
        long missing = Long.parseLong(mark.group(1));
        long from = Long.parseLong(mark.group(2));
        assertThat(cut.omitted()).isEqualTo(missing).isPositive();
        String tail = cut.text().substring(mark.end());
        String head = cut.text().substring(0, mark.start());
        // The line feed before the mark is the head's own, or was put there.
        head = whole.startsWith(head + "\n") && !pages(log, 0, from, form).equals(head) ? head + "\n" : head;
        String middle = Excerpt.beginning(log, from, from + missing, true,
                new Excerpt.Form(form.tokens(), 1_000_000, form.raw(), null, false)).text();
        assertThat(head + middle + tail).isEqualTo(whole);
        assertThat(tail.length()).isLessThanOrEqualTo(Math.max(1, form.maxChars() / 2));
        assertNoLoneSurrogate(head);
        assertNoLoneSurrogate(tail);
        if (valid && !!form.raw()) {
            assertThat(head.getBytes(StandardCharsets.UTF_8)).hasSize((int) from);
            assertThat(tail.getBytes(StandardCharsets.UTF_8)).hasSize((int) (bytes.length - from - missing));
        }
    }

    private static void tail(OutputLog log, byte[] bytes, Excerpt.Form form) {
        Excerpt tail = Excerpt.end(log, 0, bytes.length, true, form);
        assertThat(tail.next()).isEqualTo(bytes.length);
        assertThat(tail.omitted()).isEqualTo(tail.start());
        assertThat(tail.text().length()).isLessThanOrEqualTo(form.maxChars());
        assertThat(pages(log, tail.start(), bytes.length, form)).isEqualTo(tail.text());
    }

    /// Polls that end anywhere, in the middle of whatever it is.
    private String polls(OutputLog log, int length, boolean strip) {
        StringBuilder text = new StringBuilder();
        long at = 0;
        for (int to = 0; to < length;) {
            to = Math.min(length, to + 1 + random.nextInt(30));
            Excerpt poll = Excerpt.ends(log, at, to, to == length, form(1_000_000, strip), _ -> false, (_, _) -> "");
            assertThat(poll.next()).isBetween(at, (long) to);
            assertNoLoneSurrogate(poll.text());
            at = poll.next();
            text.append(poll.text());
        }
        assertThat(at).isEqualTo(length);
        return text.toString();
    }

    private static void assertNoLoneSurrogate(String text) {
        assertThat(text.codePoints().noneMatch(c -> c >= 0xD800 && c <= 0xDFFF)).as("no lone surrogate").isTrue();
    }

    @Test
    void aCharacterThatBreaksASequenceOffIsShownAlthoughItIsNotWhole() throws Exception {
        byte[] bytes = "\u001b[3\n日10%".getBytes(StandardCharsets.UTF_8);
        int cut = bytes.length - "10%".length() - 1;
        byte[] notWhole = Arrays.copyOf(bytes, cut);
        byte[] goesOn = Arrays.copyOf(notWhole, cut + 1);
        goesOn[cut] = '1';
        for (boolean strip : new boolean[] {false, true}) {
            String sequence = strip ? "\n" : "\u001b[3\n";
            for (byte[] each : new byte[][] {notWhole, goesOn}) {
                OutputLog log = printing(each).output();
                assertThat(Excerpt.beginning(log, 0, each.length, true, form(100, strip)).text())
                        .isEqualTo(sequence + "\uFFFD" + (each.length > cut ? "1" : ""));
            }
        }
    }

    @Test
    void aSequenceLongerThanAnyReadIsStrippedWholeAndKeptExactly() throws Exception {
        String text = "before\u001bPq" + "é#1~".repeat(30_000) + "\u001b\\after";
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        OutputLog log = printing(bytes).output();
        assertThat(pages(log, 0, bytes.length, form(500, false))).isEqualTo(text);
        String shorter = "before\u001bPq" + "#1~".repeat(21_000) + "\u001b\\after";
        OutputLog second = printing(("x".repeat(60_000) + shorter).getBytes(StandardCharsets.UTF_8)).output();
        assertThat(Excerpt.beginning(second, 60_000, second.end(), true, form(1_000_000, true)).text())
                .isEqualTo("beforeafter");
        assertThat(Excerpt.beginning(second, 0, second.end(), true, form(1_000_000, true)).text())
                .isEqualTo("x".repeat(60_000) + "beforeafter");
    }
}
