package dev.belay.agent;

import dev.belay.OutputLog;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Finds out whether a program has asked for application cursor keys: the last word on it in the output counts.
final class CursorKeys {
    private static final Pattern MODES = Pattern.compile("\u001b\\[\\?([0-9;]{1,40})([hl])|\u001bc");
    private static final int STEP = 64 << 10;
    /// A sequence that crosses the border of two steps is found in the later one.
    private static final int OVERLAP = 64;

    private CursorKeys() {}

    static boolean application(OutputLog log) {
        long end = log.end();
        for (long to = end; to > log.start(); to -= STEP) {
            long from = Math.max(log.start(), to - STEP);
            Boolean word = lastWord(text(log, from, Math.min(end, to + OVERLAP)));
            if (word != null) {
                return word;
            }
        }
        return false;
    }

    private static @org.jspecify.annotations.Nullable Boolean lastWord(String text) {
        Boolean word = null;
        Matcher modes = MODES.matcher(text);
        while (modes.find()) {
            if (modes.group(1) == null) {
                word = false;
            } else if ((";" + modes.group(1) + ";").contains(";1;")) {
                word = modes.group(2).equals("h");
            }
        }
        return word;
    }

    private static String text(OutputLog log, long from, long to) {
        StringBuilder text = new StringBuilder();
        Chunks.between(
                log, from, to, chunk -> text.append(new String(chunk.bytes(), StandardCharsets.ISO_8859_1)));
        return text.toString();
    }
}
