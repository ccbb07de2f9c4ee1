package dev.belay.host;

/// A wait that has to come to its end: an interrupt is kept for later.
public final class Uninterrupted {
    private Uninterrupted() {}

    /// Something that waits, and may be asked to again from the beginning.
    @FunctionalInterface
    public interface Wait {
        /// Waits.
        ///
        /// @throws InterruptedException if it was interrupted before it was done
        void run() throws InterruptedException;
    }

    /// Waits, again if need be, until it is done; then the thread is interrupted if anybody has interrupted it meanwhile.
    public static void run(Wait wait) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    wait.run();
                    return;
                } catch (InterruptedException _) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
