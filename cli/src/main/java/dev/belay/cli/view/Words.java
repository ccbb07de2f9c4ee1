package dev.belay.cli.view;

import dev.belay.Visible;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/// The facts of a session in few words, for tables.
public final class Words {
    private Words() {}

    /// How long ago something was: `3s`, `12m`, `5h`, `3d`.
    public static String since(JsonNode time, Instant now) {
        try {
            return span(Duration.between(Instant.parse(time.asString("")), now));
        } catch (DateTimeParseException _) {
            return "";
        }
    }

    static String span(Duration span) {
        long seconds = Math.max(0, span.toSeconds());
        if (seconds < 60) {
            return seconds + "s";
        }
        return seconds < 3600 ? seconds / 60 + "m" : seconds < 86_400 ? seconds / 3600 + "h" : seconds / 86_400 + "d";
    }

    /// A number of bytes: `812`, `1.2K`, `34M`.
    public static String bytes(double count) {
        if (count < 1000) {
            return Long.toString(Math.round(count));
        }
        int unit = 0;
        double rest = count;
        while (rest >= 1000 && unit < 5) {
            rest /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, rest < 9.95 ? "%.1f%c" : "%.0f%c", rest, "KMGTP".charAt(unit - 1));
    }

    /// What a session does: `running`, `waits`, `exited 1`, `SIGTERM`.
    public static String state(JsonNode record) {
        if (record.path("state").asString("").equals("exited") || record.path("exit_code").isNumber()) {
            String signal = record.path("signal").asString("");
            return signal.isEmpty() ? "exit " + record.path("exit_code").asInt(0) : signal;
        }
        return waits(record) ? "waits" : record.path("state").asString("?");
    }

    /// Whether a person or agent has to type something.
    public static boolean waits(JsonNode record) {
        return record.path("input").path("waiting").asBoolean(false);
    }

    public static String command(JsonNode record) {
        List<String> words = new ArrayList<>(List.of(record.path("command").asString("")));
        record.path("args").forEach(word -> words.add(word.asString("")));
        return Visible.of(String.join(" ", words));
    }

    /// At most this many characters; what is cut shows as an ellipsis.
    public static String cut(String text, int width) {
        if (text.codePointCount(0, text.length()) <= width) {
            return text;
        }
        return width <= 0 ? "" : text.substring(0, text.offsetByCodePoints(0, width - 1)) + "…";
    }
}
