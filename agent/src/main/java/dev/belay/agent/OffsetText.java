package dev.belay.agent;

import java.util.Arrays;

/// Text in units that may not be split, characters and escape sequences, each with its place in the log.
final class OffsetText {
    private final StringBuilder text = new StringBuilder();
    /// For each unit, where it begins in the text and in the log.
    private int[] starts = new int[64];
    private long[] offsets = new long[64];
    private int units;
    private boolean shortened;

    void add(CharSequence unit, long offset) {
        if (units == starts.length) {
            starts = Arrays.copyOf(starts, units * 2);
            offsets = Arrays.copyOf(offsets, units * 2);
        }
        starts[units] = text.length();
        offsets[units++] = offset;
        text.append(unit);
    }

    void forEach(Units.Sink sink) {
        for (int i = 0; i < units; i++) {
            sink.unit(unit(i), offsets[i]);
        }
    }

    void clear() {
        text.setLength(0);
        units = 0;
    }

    boolean isEmpty() {
        return units == 0;
    }

    int units() {
        return units;
    }

    /// Where in the log its first unit begins.
    long firstOffset() {
        return offsets[0];
    }

    /// Whether something was cut off its start.
    boolean shortened() {
        return shortened;
    }

    int length() {
        return text.length();
    }

    String text() {
        return text.toString();
    }

    boolean endsWithNewline() {
        return !text.isEmpty() && text.charAt(text.length() - 1) == '\n';
    }

    /// The first unit that begins at or behind a place in the text.
    private int unitAt(int chars) {
        int found = Arrays.binarySearch(starts, 0, units, chars);
        return found >= 0 ? found : -found - 1;
    }

    /// Cuts to at most so many characters from the start; after a line where one ends in the second half of them. The
    /// first unit always stays, however long it is: a reader that continues after what it got must make progress.
    ///
    /// @return where in the log the rest begins; `end` if there is none
    long keepFirst(int chars, long end) {
        if (chars >= text.length() || units == 1) {
            return end;
        }
        int line = text.lastIndexOf("\n", chars - 1) + 1;
        int unit = unitAt(line > chars / 2 ? line : chars);
        if (unit == units || starts[unit] > chars) {
            unit--;
        }
        unit = Math.max(1, unit);
        text.setLength(starts[unit]);
        // Where a cursor was moved up, what stands below may have been printed earlier.
        long rest = Arrays.stream(offsets, unit, units).min().orElse(end);
        units = unit;
        return Math.max(rest, offsets[0] + 1);
    }

    /// Cuts to at most so many characters from the end; from a line on where one begins in the first half of them.
    ///
    /// @return where in the log what is left begins; `end` if nothing is
    long keepLast(int chars, long end) {
        int from = text.length() - chars;
        if (from > 0) {
            int line = text.indexOf("\n", from - 1) + 1;
            drop(unitAt(line > 0 && line < from + chars / 2 ? line : from));
        }
        return units == 0 ? end : offsets[0];
    }

    /// Cuts roughly, and not each time, to what [#keepLast] may need.
    void forgetBeyond(int chars) {
        if (text.length() > 2 * chars + 4096) {
            drop(unitAt(text.length() - chars));
        }
    }

    /// Moves units to the end of another strip, so that the first half of them stays.
    void moveSecondHalf(OffsetText other) {
        int half = (units + 1) / 2;
        for (int i = half; i < units; i++) {
            other.add(unit(i), offsets[i]);
        }
        if (half < units) {
            text.setLength(starts[half]);
            units = half;
        }
    }

    private String unit(int i) {
        return text.substring(starts[i], i + 1 < units ? starts[i + 1] : text.length());
    }

    private void drop(int first) {
        shortened |= first > 0;
        int cut = first == units ? text.length() : starts[first];
        text.delete(0, cut);
        units -= first;
        System.arraycopy(offsets, first, offsets, 0, units);
        for (int i = 0; i < units; i++) {
            starts[i] = starts[i + first] - cut;
        }
    }
}
