package dev.belay.screen;

/// A screen at an offset, folded into a few kilobytes. [Screen#at] unfolds it.
public final class Checkpoint {
    private final long offset;
    private final byte[] bytes;

    Checkpoint(long offset, byte[] bytes) {
        this.offset = offset;
        this.bytes = bytes;
    }

    /// The offset after the last byte that the screen was fed with.
    public long offset() {
        return offset;
    }

    /// How much memory it takes.
    public int size() {
        return bytes.length;
    }

    byte[] bytes() {
        return bytes;
    }
}
