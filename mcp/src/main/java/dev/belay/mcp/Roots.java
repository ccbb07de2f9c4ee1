package dev.belay.mcp;

import dev.belay.Quoted;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// The folders on this machine that a client says it works in.
///
/// The first is the workspace, where that is not decided otherwise. Where it is, the first root inside of it is the
/// folder that `workdir` is relative to; one outside is not let in, however the client asks.
record Roots(List<Path> folders) {
    static final Roots NONE = new Roots(List.of());
    private static final Logger LOG = System.getLogger(Roots.class.getName());

    /// @param answer to `roots/list`; null if there is none
    static Roots of(@Nullable JsonNode answer) {
        List<Path> folders = new ArrayList<>();
        if (answer != null) {
            for (JsonNode root : answer.path("roots")) {
                String uri = root.path("uri").asString("");
                Path folder = folder(uri);
                if (folder == null) {
                    LOG.log(Level.WARNING, "the root {0} is not a folder on this machine; ignoring it",
                            Quoted.of(uri));
                } else {
                    folders.add(folder);
                }
            }
        }
        return new Roots(List.copyOf(folders));
    }

    private static @Nullable Path folder(String uri) {
        try {
            Path real = Path.of(URI.create(uri)).toRealPath();
            return Files.isDirectory(real) ? real : null;
        } catch (IOException | IllegalArgumentException | FileSystemNotFoundException _) {
            return null;
        }
    }

    @Nullable Path first() {
        return folders.isEmpty() ? null : folders.getFirst();
    }

    /// The first root within a workspace, as seen from there.
    ///
    /// @param fallback what it is without one
    String within(Path workspace, String fallback) {
        Path base = real(workspace);
        for (Path folder : folders) {
            if (folder.startsWith(base)) {
                return folder.equals(base) ? "." : base.relativize(folder).toString();
            }
            LOG.log(Level.WARNING, "the root {0} is not inside the workspace {1}; ignoring it",
                    Quoted.of(folder.toString()), base);
        }
        return fallback;
    }

    private static Path real(Path workspace) {
        try {
            return workspace.toRealPath();
        } catch (IOException _) {
            // It is gone; so is every root in it.
            return workspace;
        }
    }
}
