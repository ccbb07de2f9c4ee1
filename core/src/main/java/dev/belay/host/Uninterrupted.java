package dev.belay.host;

/// A wait that interrupts do not end. The thread is interrupted again afterwards.
public final class Uninterrupted {
    private Uninterrupted() {}

    /// A wait that can be started again.
    @FunctionalInterface
    public interface Wait {
        /// Waits.
        ///
        /// @throws InterruptedException if it is interrupted before it is done
        void run() throws InterruptedException;
    }

    /// Waits until it is done, again after each interrupt. Then interrupts the thread if it was interrupted.
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
