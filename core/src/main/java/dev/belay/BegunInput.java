package dev.belay;

/// An input that was begun without waiting. Either it is complete, or a thread that may wait has to finish it.
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

    /// An input that could not be written completely at once.
    public static BegunInput later(Rest rest) {
        return new BegunInput(NOT_OVER, rest);
    }

    /// Whether nothing is left to do.
    public boolean isOver() {
        return written != NOT_OVER;
    }

    /// Writes what is left, and waits as [Session#write(byte[])] does. Must be called once unless [#isOver]: until then
    /// this input keeps its turn, and nobody else can type.
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
