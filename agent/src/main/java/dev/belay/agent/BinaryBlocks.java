package dev.belay.agent;

/// Tells output that is no text: images, archives, programs.
final class BinaryBlocks {
    /// Output is looked at in blocks of this size.
    static final int BYTES = 4096;
    /// In less than this, bytes that are no text are shown as such.
    private static final int LEAST = 256;
    private static final int ONE_IN = 10;

    /// What a block is.
    ///
    /// @param binary   whether more than a tenth of it is neither text nor terminal control
    /// @param textTo   where the whole lines end that it begins with
    /// @param textFrom where the whole lines begin that it ends with
    record Block(boolean binary, int textTo, int textFrom) {}

    private BinaryBlocks() {}

    static Block look(byte[] bytes, int from, int to) {
        int odd = 0;
        int first = to;
        int last = from;
        for (int i = from; i < to; i++) {
            int b = bytes[i] & 0xFF;
            int length = b < 0x80 ? 1 : length(bytes, i, to);
            if (length == 0 || b < 0x07 || b == 0x7F || (b > 0x0F && b < 0x20 && b != 0x1B)) {
                odd++;
                first = Math.min(first, i);
                last = i;
            }
            i += Math.max(0, length - 1);
        }
        int textTo = first;
        while (textTo > from && bytes[textTo - 1] != '\n') {
            textTo--;
        }
        int textFrom = last;
        while (textFrom < to && bytes[textFrom] != '\n') {
            textFrom++;
        }
        return new Block(to - from >= LEAST && odd > (to - from) / ONE_IN, textTo, Math.min(to, textFrom + 1));
    }

    /// How many bytes the character there has; 0 if there is none.
    private static int length(byte[] bytes, int at, int to) {
        int b = bytes[at] & 0xFF;
        int length = b >= 0xF5 || b < 0xC2 ? 0 : b >= 0xF0 ? 4 : b >= 0xE0 ? 3 : 2;
        for (int i = 1; i < length; i++) {
            if (at + i < to && (bytes[at + i] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return length;
    }
}
