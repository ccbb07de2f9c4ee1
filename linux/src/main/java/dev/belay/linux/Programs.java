package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.SessionException;
import java.lang.foreign.Arena;
import java.util.Map;

/// Looks a program up as a shell would, in the session's PATH and from the session's folder.
final class Programs {
    static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

    private final Libc libc;
    private final Arena arena;
    private final int folder;

    Programs(Libc libc, Arena arena, int folder) {
        this.libc = libc;
        this.arena = arena;
        this.folder = folder;
    }

    /// The path to execute: absolute, or relative to the session's folder.
    String find(String name, String path) {
        if (name.indexOf('/') >= 0) {
            return name;
        }
        String unusable = null;
        for (String place : path.split(":", -1)) {
            String candidate = place.isEmpty() ? "./" + name : place + "/" + name;
            int result = libc.faccessat(folder, arena.allocateFrom(candidate), Abi.X_OK);
            if (result == 0 && !isFolder(candidate)) {
                return candidate;
            }
            if (result == -Errno.EACCES && unusable == null) {
                unusable = candidate;
            }
        }
        if (unusable != null) {
            throw notExecutable(unusable);
        }
        throw notFound(name, "it is not in the session's PATH (" + path + ")");
    }

    private boolean isFolder(String candidate) {
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
