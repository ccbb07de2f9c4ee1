package dev.belay;

/// Where bytes of the log came out of the process. A terminal has one outlet, which counts as standard output.
public enum Outlet {
    STDOUT,
    STDERR
}
