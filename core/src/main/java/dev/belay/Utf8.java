package dev.belay;

/// Where UTF-8 text may be cut.
final class Utf8 {
    private Utf8() {}

    /// How many bytes at the end of the array begin a character that is not complete: 0 to 3.
    static int incompleteTail(byte[] bytes, int length) {
        for (int back = 1; back <= Math.min(3, length); back++) {
            int b = bytes[length - back] & 0xFF;
            if (b >= 0xC0) {
                int needs = b >= 0xF0 ? 4 : b >= 0xE0 ? 3 : 2;
                // 0xC0, 0xC1 and 0xF5.. begin nothing: they are invalid, not incomplete.
                return b < 0xC2 || b > 0xF4 || needs <= back ? 0 : back;
            }
            if (b < 0x80) {
                return 0;
            }
        }
        return 0;
    }

    /// How many bytes at the start of the array continue a character that began earlier: 0 to 3.
    static int continuationHead(byte[] bytes, int length) {
        int head = 0;
        while (head < Math.min(3, length) && (bytes[head] & 0xC0) == 0x80) {
            head++;
        }
        return head;
    }
}
