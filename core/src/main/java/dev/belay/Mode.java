package dev.belay;

/// What a session's process talks to: a terminal or pipes.
public sealed interface Mode {
    /// The name in records: `pty` or `pipe`.
    String backend();

    /// A pseudo-terminal.
    ///
    /// @param echo whether the terminal echoes its input at first; a program may change that at any time
    /// @param crlf whether the terminal at first turns each line feed in the output into carriage return and line feed
    record Pty(Size size, boolean echo, boolean crlf) implements Mode {
        public Pty(Size size) {
            this(size, true, true);
        }

        @Override
        public String backend() {
            return "pty";
        }
    }

    /// Three pipes. Standard output and standard error are kept apart, in order of arrival.
    record Pipe() implements Mode {
        @Override
        public String backend() {
            return "pipe";
        }
    }
}
