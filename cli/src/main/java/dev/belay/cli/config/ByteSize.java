package dev.belay.cli.config;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads sizes as people write them: `1048576`, `512 KiB`, `8M`. The units are powers of 1024.
public final class ByteSize implements ITypeConverter<Long> {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,12})\\s*([KMGT]i?)?B?", Pattern.CASE_INSENSITIVE);

    @Override
    public Long convert(String text) {
        return parse(text);
    }

    static long parse(String text) {
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

    private static TypeConversionException unreadable(String text) {
        return new TypeConversionException("'" + text + "' is no size; write it as 1048576, 512KiB or 8MiB");
    }
}
