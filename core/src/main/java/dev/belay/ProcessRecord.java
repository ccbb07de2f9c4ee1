package dev.belay;

import java.time.Duration;
import java.time.Instant;

/// A process of a session at one moment.
///
/// @param parent      the pid of its parent, which need not belong to the session
/// @param command     its command line, its words separated by spaces; the program's name if it has none
/// @param foreground  whether it is in the foreground of the terminal, and gets what is typed
/// @param cpu         the CPU time that it has used
/// @param memoryBytes the memory that it has in use
public record ProcessRecord(
        long pid,
        long parent,
        String command,
        State state,
        boolean foreground,
        Instant startedAt,
        Duration cpu,
        long memoryBytes) {
    /// For those who may not know what it is.
    ProcessRecord withheld() {
        return new ProcessRecord(pid, parent, Approval.PRIVATE, state, foreground, startedAt, cpu, memoryBytes);
    }

    /// What a process does.
    public enum State {
        RUNNING,
        /// It waits for something.
        SLEEPING,
        /// It waits for a disk or a driver, and cannot be interrupted.
        BLOCKED,
        /// It was stopped, by Ctrl-Z or a debugger.
        STOPPED
    }
}
