package dev.belay;

/// Where a process wrote bytes of the log. A terminal has one outlet, which counts as standard output.
public enum Outlet {
    STDOUT,
    STDERR
}
