package dev.belay.screen;

/// The numbers of a control sequence: 32 of them, and 32 more after colons. What is missing is 0, or -1 after a colon.
final class Params {
    static final int MOST = 32;
    static final int LARGEST = 65_535;

    int count;
    private final int[] values = new int[MOST];
    private final int[] parts = new int[MOST];
    private final int[] partsFrom = new int[MOST];
    private final int[] partsTo = new int[MOST];
    private int partCount;
    private boolean full;
    private boolean partsFull;
    private boolean inPart;

    void clear() {
        count = 1;
        values[0] = 0;
        partsFrom[0] = 0;
        partsTo[0] = 0;
        partCount = 0;
        full = false;
        partsFull = false;
        inPart = false;
    }

    /// Takes the digits, `;` and `:` of a chunk. Gives the index of the first byte that is something else.
    int takeAll(byte[] bytes, int from, int to) {
        int next = from;
        int last = 0;
        while (true) {
            int start = next;
            int value = 0;
            int code;
            while (next < to && (code = bytes[next] - '0') >= 0 && code <= 9) {
                value = value * 10 + code;
                next++;
            }
            values[last] = value > LARGEST || next - start > 9 ? clamped(bytes, start, next) : value;
            if (next == to || bytes[next] != ';' || last == MOST - 1) {
                break;
            }
            next++;
            last++;
            partsFrom[last] = 0;
            partsTo[last] = 0;
        }
        count = last + 1;
        // more than usual
        while (next < to && bytes[next] >= '0' && bytes[next] <= ';') {
            take(bytes[next++]);
        }
        return next;
    }

    private static int clamped(byte[] bytes, int from, int to) {
        int value = 0;
        for (int i = from; i < to; i++) {
            value = Math.min(value * 10 + bytes[i] - '0', LARGEST);
        }
        return value;
    }

    /// Are there none after colons?
    boolean simple() {
        return partCount == 0;
    }

    /// Takes a digit, `;` or `:`.
    void take(int code) {
        if (code == ';') {
            inPart = false;
            if (count == MOST) {
                full = true;
                return;
            }
            values[count] = 0;
            partsFrom[count] = partCount;
            partsTo[count] = partCount;
            count++;
        } else if (code == ':') {
            inPart = true;
            if (full || partCount == MOST) {
                partsFull = true;
                return;
            }
            parts[partCount++] = -1;
            partsTo[count - 1]++;
        } else if (!full && !(inPart && partsFull)) {
            digit(code - '0');
        }
    }

    private void digit(int digit) {
        if (inPart) {
            parts[partCount - 1] = Math.min(Math.max(parts[partCount - 1], 0) * 10 + digit, LARGEST);
        } else {
            values[count - 1] = Math.min(values[count - 1] * 10 + digit, LARGEST);
        }
    }

    int get(int index) {
        return values[index];
    }

    int get(int index, int missing) {
        return index < count ? values[index] : missing;
    }

    /// The first number, 1 if it is 0 or missing.
    int times() {
        return Math.max(1, values[0]);
    }

    int parts(int index) {
        return partsTo[index] - partsFrom[index];
    }

    int part(int index, int part) {
        return parts[partsFrom[index] + part];
    }
}
