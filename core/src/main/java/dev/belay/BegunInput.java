package dev.belay;

/// An input that was begun without waiting: it is over, or has to be finished on a thread that may wait.
public final class BegunInput {
    private static final int NOT_OVER = -1;

    private final int written;
    private final Rest rest;

    /// What is left to do. May wait.
    @FunctionalInterface
    public interface Rest {
        /// Does it, and returns how many bytes were written in all.
        int finish() throws InterruptedException;
    }

    private BegunInput(int written, Rest rest) {
        this.written = written;
        this.rest = rest;
    }

    static BegunInput over(int written) {
        return new BegunInput(written, () -> written);
    }

    /// One of which nothing, or not everything, could be written at once.
    public static BegunInput later(Rest rest) {
        return new BegunInput(NOT_OVER, rest);
    }

    /// Whether nothing is left to do.
    public boolean isOver() {
        return written != NOT_OVER;
    }

    /// Writes what is left, and waits as [Session#write(byte[])] does. Has to be called once unless it is over: until
    /// then it has its turn, and nobody else can type.
    ///
    /// @return how many bytes were written in all
    public int finish() throws InterruptedException {
        return rest.finish();
    }

    /// How many bytes were written, if it is over.
    public int written() {
        return written;
    }
}
