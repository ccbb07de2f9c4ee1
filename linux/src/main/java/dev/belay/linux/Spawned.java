package dev.belay.linux;

import org.jspecify.annotations.Nullable;

/// The result of a spawn. The receiver owns the descriptors.
///
/// @param group  holds all processes, if the session is limited as a whole
/// @param input  the terminal's master, or the pipe to standard input
/// @param slave  the terminal's other side; -1 for pipes
/// @param output the pipe from standard output; -1 for a terminal
/// @param error  the pipe from standard error; -1 for a terminal
record Spawned(long pid, int pidfd, long tag, @Nullable SessionCgroup group, String workdir, int input, int slave,
        int output, int error) {}
