package dev.belay.screen;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/// A terminal and what happens to it.
record Scenario(int cols, int rows, int kept, List<Step> steps) {
    sealed interface Step {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Feed(byte[] bytes) implements Step {
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder();
            for (char c : new String(bytes, StandardCharsets.ISO_8859_1).toCharArray()) {
                text.append(
                        c == 0x1b ? "␛" : c < 0x20 || c >= 0x7f ? "<" + HexFormat.of().toHexDigits((byte) c) + ">" : c);
            }
            return "feed " + text;
        }
    }

    record Resize(int cols, int rows) implements Step {}

    /// The state after each step, with the bytes cut as the random numbers say.
    List<String> run(Random random) {
        List<String> states = new ArrayList<>();
        Screen screen = new Screen(cols, rows, ScreenLimits.defaults().withKeptRows(kept));
        Replies replies = new Replies(screen);
        for (Step step : steps) {
            switch (step) {
                case Feed feed -> {
                    byte[] bytes = feed.bytes();
                    for (int from = 0; from < bytes.length;) {
                        int to = random.nextInt(3) == 0
                                ? bytes.length
                                : Math.min(bytes.length, from + 1 + random.nextInt(8));
                        replies.feed(bytes, from, to);
                        from = to;
                    }
                }
                case Resize resize -> screen.resize(resize.cols(), resize.rows());
            }
            states.add(Dump.of(screen) + " replies=" + replies.take());
        }
        return states;
    }

    /// The screen after all of it.
    Screen last() {
        Screen screen = new Screen(cols, rows, ScreenLimits.defaults().withKeptRows(kept));
        steps.forEach(step -> take(screen, step));
        return screen;
    }

    static void take(Screen screen, Step step) {
        switch (step) {
            case Feed feed -> screen.feed(feed.bytes());
            case Resize resize -> screen.resize(resize.cols(), resize.rows());
        }
    }

    Scenario with(List<Step> other) {
        return new Scenario(cols, rows, kept, other);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(cols + "x" + rows + ", " + kept + " kept\n");
        steps.forEach(step -> text.append("  ").append(step).append('\n'));
        return text.toString();
    }
}
