package dev.belay.cli.config;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads sizes as people write them: `1048576`, `512 KiB`, `8M`. The units are powers of 1024.
public final class ByteSize {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,12})\\s*([KMGT]i?)?B?", Pattern.CASE_INSENSITIVE);

    private ByteSize() {}

    public static long parse(String text) {
        Matcher size = SIZE.matcher(text.strip());
        if (!size.matches()) {
            throw unreadable(text);
        }
        String unit = size.group(2) == null ? "" : size.group(2).substring(0, 1).toUpperCase(Locale.ROOT);
        int shift = unit.isEmpty() ? 0 : 10 * (1 + "KMGT".indexOf(unit));
        long count = Long.parseLong(size.group(1));
        if (count > Long.MAX_VALUE >> shift) {
            throw unreadable(text);
        }
        return count << shift;
    }

    /// A size in the largest unit that gives a whole number.
    static String text(long size) {
        int unit = size == 0 ? 0 : Math.min(4, Long.numberOfTrailingZeros(size) / 10);
        return (size >> (10 * unit)) + (unit == 0 ? " bytes" : " " + "KMGT".charAt(unit - 1) + "iB");
    }

    private static IllegalArgumentException unreadable(String text) {
        return new IllegalArgumentException("'" + text + "' is not a size; write it like 1048576, 512KiB or 8MiB");
    }
}
