package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.SessionException;
import java.lang.foreign.Arena;
import java.util.Map;

/// Looks up a program as a shell would, with the session's PATH and working folder.
final class ProgramLookup {
    static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

    private final Libc libc;
    private final Arena arena;
    private final int folder;

    ProgramLookup(Libc libc, Arena arena, int folder) {
        this.libc = libc;
        this.arena = arena;
        this.folder = folder;
    }

    /// The path to execute, absolute or relative to the session's folder.
    String find(String name, String path) {
        if (name.indexOf('/') >= 0) {
            return name;
        }
        boolean unusable = false;
        for (String place : path.split(":", -1)) {
            String candidate = place.isEmpty() ? "./" + name : place + "/" + name;
            int result = libc.faccessat(folder, arena.allocateFrom(candidate), Abi.X_OK);
            if (result == 0 && !isFolder(candidate)) {
                return candidate;
            }
            unusable |= result == -Errno.EACCES;
        }
        // Messages are logged, and values of the environment are not: neither names the PATH.
        if (unusable) {
            throw notExecutable(name);
        }
        throw notFound(name, "it is not in the session's PATH");
    }

    boolean isFolder(String candidate) {
        return libc.faccessat(folder, arena.allocateFrom(candidate + "/."), 0) == 0;
    }

    static SessionException notFound(String program, String why) {
        return new SessionException(
                ErrorCode.SPAWN_FAILED,
                "The program " + Quoted.of(program) + " was not found: " + why + ".",
                Map.of(SessionException.REASON, "not_found"));
    }

    static SessionException notExecutable(String program) {
        return new SessionException(
                ErrorCode.SPAWN_FAILED,
                "The program " + Quoted.of(program) + " cannot be executed: it is a folder or lacks permission.",
                Map.of(SessionException.REASON, "not_executable"));
    }
}
