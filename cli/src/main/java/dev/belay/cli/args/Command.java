package dev.belay.cli.args;

/// A command: what can be written after it, and what it does.
public interface Command {
    Syntax syntax();

    /// Runs the command.
    ///
    /// @return the exit code
    int run(Arguments given) throws Exception;
}
