package dev.belay;

import java.util.Optional;

/// How a session's leader ended.
public sealed interface ExitStatus {
    /// One number, as shells report it: the exit code, or 128 + n for death by signal n.
    int code();

    /// The signal that ended the leader, if one did.
    Optional<Signal> signal();

    /// The leader exited with this code.
    record Exited(int code) implements ExitStatus {
        @Override
        public Optional<Signal> signal() {
            return Optional.empty();
        }
    }

    /// The leader was killed by a signal.
    record Signaled(Signal by) implements ExitStatus {
        @Override
        public int code() {
            return 128 + by.number();
        }

        @Override
        public Optional<Signal> signal() {
            return Optional.of(by);
        }
    }
}
