package dev.belay.linux;

import java.util.concurrent.ConcurrentHashMap;

/// The processes by which Belay starts a watched session: the shell of a [Trampoline], bubblewrap and its like. They
/// are no ancestors that a person has to know. Safe for any thread.
///
/// The last of them becomes the session's own program, which is seen by its stack: each program gets another.
final class StartingProcesses {
    private static final long UNKNOWN = 0;

    /// By process, where its stack was when it asked to start a program of the session.
    private final ConcurrentHashMap<Long, Long> stacks = new ConcurrentHashMap<>();

    /// Belay itself starts a program in this process.
    void add(long process) {
        stacks.put(process, UNKNOWN);
    }

    /// A process asks to start a program of the session. It stays Belay's if that fails, as along PATH.
    void asks(ProcFile files, long process) {
        if (owns(files, process)) {
            stacks.put(process, Proc.stack(files, process));
        }
    }

    boolean owns(ProcFile files, long process) {
        Long stack = stacks.get(process);
        if (stack == null) {
            return false;
        }
        if (stack == UNKNOWN || stack == Proc.stack(files, process)) {
            return true;
        }
        stacks.remove(process);
        return false;
    }
}
