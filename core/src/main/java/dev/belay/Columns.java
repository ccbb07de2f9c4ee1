package dev.belay;

/// How many columns of a terminal a character takes.
final class Columns {
    private Columns() {}

    /// 0 for characters that combine with the one before them, 2 for wide ones, else 1.
    static int of(int point) {
        if (point < 0x300) {
            return 1;
        }
        int type = Character.getType(point);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK || type == Character.FORMAT) {
            return 0;
        }
        return isWide(point) ? 2 : 1;
    }

    private static boolean isWide(int point) {
        return (point >= 0x1100 && point <= 0x115F)
                || (point >= 0x2E80 && point <= 0xA4CF && point != 0x303F)
                || (point >= 0xAC00 && point <= 0xD7A3)
                || (point >= 0xF900 && point <= 0xFAFF)
                || (point >= 0xFE30 && point <= 0xFE6F)
                || (point >= 0xFF00 && point <= 0xFF60)
                || (point >= 0xFFE0 && point <= 0xFFE6)
                || (point >= 0x1F300 && point <= 0x1F64F)
                || (point >= 0x1F680 && point <= 0x1F6FF)
                || (point >= 0x1F900 && point <= 0x1F9FF)
                || (point >= 0x20000 && point <= 0x3FFFD);
    }
}
