package dev.belay.screen;

import java.util.Arrays;

/// How many columns a character takes: 0, 1 or 2, by Unicode 16, per code point.
public final class Widths {
    private static final int PLANE = 0x10000;
    private static final byte[] BASIC = basic();
    private static final int[] ZERO = ranges(WidthTable.ZERO);
    private static final int[] TWO = ranges(WidthTable.TWO);

    private Widths() {}

    public static int of(int code) {
        if (code < PLANE) {
            return BASIC[code];
        }
        return in(TWO, code) ? 2 : in(ZERO, code) ? 0 : 1;
    }

    private static byte[] basic() {
        byte[] widths = new byte[PLANE];
        Arrays.fill(widths, 0x20, 0x7f, (byte) 1);
        Arrays.fill(widths, 0xa0, PLANE, (byte) 1);
        fill(widths, ranges(WidthTable.ZERO), (byte) 0);
        fill(widths, ranges(WidthTable.TWO), (byte) 2);
        return widths;
    }

    private static void fill(byte[] widths, int[] ranges, byte width) {
        for (int i = 0; i < ranges.length && ranges[i] < PLANE; i += 2) {
            Arrays.fill(widths, ranges[i], Math.min(ranges[i + 1] + 1, PLANE), width);
        }
    }

    /// First and last of each range, ascending.
    private static int[] ranges(String table) {
        return Arrays.stream(table.split("[\\s-]+", 0)).mapToInt(hex -> Integer.parseInt(hex, 16)).toArray();
    }

    private static boolean in(int[] ranges, int code) {
        int found = Arrays.binarySearch(ranges, code);
        return found >= 0 || (~found & 1) == 1;
    }
}
