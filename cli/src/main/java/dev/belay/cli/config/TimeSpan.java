package dev.belay.cli.config;

import java.math.BigDecimal;
import java.time.Duration;

/// Reads and writes times as people write them: `90`, `1.5`, `30s`, `5m`, `1h30m`, `500ms`.
public final class TimeSpan {
    /// The longest time: about a hundred years.
    static final Duration MAX = Duration.ofDays(36_500);
    private static final BigDecimal MAX_SECONDS = BigDecimal.valueOf(MAX.toSeconds());

    private TimeSpan() {}

    /// A time above zero.
    public static Duration parse(String text) {
        Duration span = parseOrZero(text);
        if (!span.isPositive()) {
            throw unreadable(text);
        }
        return span;
    }

    /// A time that may be zero.
    static Duration parseOrZero(String text) {
        BigDecimal seconds = BigDecimal.ZERO;
        int at = 0;
        while (at < text.length()) {
            int unitAt = skip(text, at, true);
            int next = skip(text, unitAt, false);
            String number = text.substring(at, unitAt);
            String unit = text.substring(unitAt, next);
            if (!isNumber(number) || (unit.isEmpty() && at > 0)) {
                throw unreadable(text);
            }
            seconds = seconds.add(new BigDecimal(number).multiply(secondsPer(unit, text)));
            at = next;
        }
        if (text.isEmpty() || seconds.compareTo(MAX_SECONDS) > 0) {
            throw unreadable(text);
        }
        return Duration.ofNanos(seconds.movePointRight(9).longValue());
    }

    private static int skip(String text, int from, boolean digits) {
        int at = from;
        while (at < text.length() && digits == (text.charAt(at) == '.' || isDigit(text.charAt(at)))) {
            at++;
        }
        return at;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isNumber(String text) {
        int dot = text.indexOf('.');
        return !text.isEmpty() && text.length() <= 20 && dot == text.lastIndexOf('.') && !text.equals(".");
    }

    private static BigDecimal secondsPer(String unit, String text) {
        return switch (unit) {
            case "ms" -> new BigDecimal("0.001");
            case "", "s" -> BigDecimal.ONE;
            case "m" -> BigDecimal.valueOf(60);
            case "h" -> BigDecimal.valueOf(3600);
            case "d" -> BigDecimal.valueOf(86_400);
            default -> throw unreadable(text);
        };
    }

    private static IllegalArgumentException unreadable(String text) {
        return new IllegalArgumentException(
                "'" + text + "' is not a time above zero; write it like 90, 1.5, 30s, 5m, 1h30m or 500ms");
    }

    /// The shortest way to write a time.
    public static String text(Duration span) {
        if (span.isZero()) {
            return "0s";
        }
        StringBuilder text = new StringBuilder();
        add(text, span.toHours(), "h");
        add(text, span.toMinutesPart(), "m");
        BigDecimal seconds = BigDecimal.valueOf(span.toSecondsPart())
                .add(BigDecimal.valueOf(span.toNanosPart(), 9))
                .stripTrailingZeros();
        if (span.compareTo(Duration.ofSeconds(1)) < 0) {
            return seconds.movePointRight(3).stripTrailingZeros().toPlainString() + "ms";
        }
        if (seconds.signum() > 0) {
            text.append(seconds.toPlainString()).append('s');
        }
        return text.toString();
    }

    private static void add(StringBuilder text, long count, String unit) {
        if (count > 0) {
            text.append(count).append(unit);
        }
    }
}
