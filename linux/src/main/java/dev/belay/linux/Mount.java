package dev.belay.linux;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One mount of a sandbox.
///
/// @param at     where it appears
/// @param source where it comes from, without links; null for an empty folder in memory
/// @param expect the file that must appear there: names may change until the kernel mounts them
record Mount(Path at, @Nullable Path source, boolean writable, @Nullable FileFacts expect) {
    private static final Path NOTHING = Path.of("/dev/null");

    static Mount of(Path at, Path source, boolean writable, FileFacts expect) {
        return new Mount(at, source, writable, expect);
    }

    /// An empty folder. What a session writes there, if it changes the folder's mode, nobody else sees.
    static Mount empty(Path at) {
        return new Mount(at, null, false, null);
    }

    /// An empty file in the place of one.
    static Mount nothing(Path at) {
        return new Mount(at, NOTHING, false, null);
    }

    /// The options of bubblewrap for it.
    List<String> options() {
        if (NOTHING.equals(source)) {
            return List.of("--dev-bind", NOTHING.toString(), at.toString());
        }
        return source == null
                ? List.of("--perms", "0555", "--size", "4096", "--tmpfs", at.toString())
                : List.of(writable ? "--bind" : "--ro-bind", source.toString(), at.toString());
    }

    /// Whether this is what the sandbox shows.
    boolean fits(FileFacts found) {
        return found.mountRoot() && (expect == null || expect.sameFile(found));
    }
}
