package dev.belay.screen;

import java.util.Arrays;

/// The styles that cells refer to by number. 0 is the default.
final class Styles {
    static final int MOST = 0x10000;
    private static final int SWEEP_FROM = 1024;

    /// Foreground and background, underline and link.
    private long[] colours = new long[16];
    private long[] lines = new long[16];
    /// Number by hash; 0 is a free place.
    private int[] places = new int[64];
    /// Numbers that were given back, and the next one that was never taken.
    private int[] free = new int[0];
    private int freed;
    private int next = 1;
    private int alive = 1;
    private final SweepSchedule sweeps = new SweepSchedule(SWEEP_FROM, MOST, 4, MOST / 4);

    int fg(int style) {
        return (int) (colours[style] >> 32);
    }

    int bg(int style) {
        return (int) colours[style];
    }

    int under(int style) {
        return (int) (lines[style] >> 32);
    }

    int link(int style) {
        return (int) lines[style];
    }

    int alive() {
        return alive;
    }

    /// Has it grown fourfold since the last sweep, or been full for a while?
    boolean wantsSweep() {
        return sweeps.isDue(alive);
    }

    /// The number of a style. With all numbers taken, colours are rounded until one is found.
    int number(int fg, int bg, int under, int link) {
        if ((fg | bg | under | link) == 0) {
            return 0;
        }
        // without a line its colour is nothing to be seen
        int line = under >>> Pen.UNDERLINE_SHIFT == 0 ? 0 : under;
        int number = find((long) fg << 32 | (bg & 0xffff_ffffL), (long) line << 32 | link);
        for (int bits = 5; number < 0 && bits >= 0; bits -= 2) {
            number = find((long) rounded(fg, bits) << 32 | (rounded(bg, bits) & 0xffff_ffffL),
                    (long) rounded(line, bits) << 32 | (bits > 1 ? link : 0));
        }
        return Math.max(number, 0);
    }

    private static int rounded(int word, int bits) {
        if ((word & Pen.KIND) != Pen.RGB) {
            return word;
        }
        int mask = 0xff00 >> bits & 0xff;
        return word & (~0xff_ffff | mask << 16 | mask << 8 | mask);
    }

    private int find(long colour, long line) {
        if ((colour | line) == 0) {
            return 0;
        }
        int mask = places.length - 1;
        for (int place = hash(colour, line) & mask;; place = place + 1 & mask) {
            int number = places[place];
            if (number == 0) {
                return alive < MOST ? add(colour, line, place) : -1;
            }
            if (colours[number] == colour && lines[number] == line) {
                return number;
            }
        }
    }

    private int add(long colour, long line, int place) {
        int number = freed > 0 ? free[--freed] : next++;
        if (number >= colours.length) {
            colours = Arrays.copyOf(colours, colours.length * 2);
            lines = Arrays.copyOf(lines, lines.length * 2);
        }
        colours[number] = colour;
        lines[number] = line;
        alive++;
        places[place] = number;
        if (alive * 2 > places.length) {
            rehash(places.length * 2);
        }
        return number;
    }

    private void rehash(int length) {
        int[] old = places;
        places = new int[length];
        for (int number : old) {
            if (number != 0) {
                put(number);
            }
        }
    }

    private void put(int number) {
        int mask = places.length - 1;
        int place = hash(colours[number], lines[number]) & mask;
        while (places[place] != 0) {
            place = place + 1 & mask;
        }
        places[place] = number;
    }

    /// Forgets the styles whose bits are not set.
    void sweep(long[] seen) {
        alive = 1;
        freed = 0;
        if (free.length < next) {
            free = new int[colours.length];
        }
        Arrays.fill(places, 0);
        for (int number = next - 1; number > 0; number--) {
            if ((seen[number >> 6] & 1L << number) != 0) {
                put(number);
                alive++;
            } else {
                free[freed++] = number;
            }
        }
        sweeps.swept(alive);
    }

    private static int hash(long colour, long line) {
        long hash = (colour ^ line * 0x9e3779b97f4a7c15L) * 0xff51afd7ed558ccdL;
        return (int) (hash >>> 32);
    }
}
