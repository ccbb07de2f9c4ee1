package dev.belay;

import java.nio.ByteBuffer;

/// Bytes whose value follows from their offset, so that a reader can tell whether it got the right ones.
final class Known {
    private Known() {}

    static byte at(long offset) {
        return (byte) ((offset * 0x9E3779B97F4A7C15L) >>> 56);
    }

    static byte[] bytes(long offset, int count) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = at(offset + i);
        }
        return bytes;
    }

    static ByteBuffer buffer(long offset, int count) {
        return ByteBuffer.wrap(bytes(offset, count));
    }

    /// Alternates between the outlets.
    static Outlet outlet(int number) {
        return number % 2 == 0 ? Outlet.STDOUT : Outlet.STDERR;
    }

    /// Whether these are the bytes of that offset.
    static boolean are(byte[] bytes, long offset) {
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != at(offset + i)) {
                return false;
            }
        }
        return true;
    }
}
