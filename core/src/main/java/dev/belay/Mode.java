package dev.belay;

/// What a session's process talks to: a terminal or pipes.
public sealed interface Mode {
    /// The name in records: `pty` or `pipe`.
    String backend();

    /// A pseudo-terminal.
    ///
    /// @param echo whether the terminal starts out echoing its input; a program may change that at any time
    /// @param crlf whether the terminal starts out turning a line feed into carriage return and line feed on output
    record Pty(Size size, boolean echo, boolean crlf) implements Mode {
        public Pty(Size size) {
            this(size, true, true);
        }

        @Override
        public String backend() {
            return "pty";
        }
    }

    /// Three pipes: standard output and standard error are kept apart, in order of arrival.
    record Pipe() implements Mode {
        @Override
        public String backend() {
            return "pipe";
        }
    }
}
