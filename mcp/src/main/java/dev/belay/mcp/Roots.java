package dev.belay.mcp;

import dev.belay.Quoted;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// The folders that a client says it works in. The first that lies within the workspace is where commands start that
/// name no folder; one outside is not let in, however the client asks.
final class Roots {
    private static final Logger LOG = System.getLogger(Roots.class.getName());

    private final Path workspace;
    private volatile @Nullable String workdir;

    Roots(Path workspace) {
        this.workspace = workspace;
    }

    /// Where commands start that name no folder; null: at the root of the workspace.
    @Nullable String workdir() {
        return workdir;
    }

    /// Takes what `roots/list` answered.
    void set(JsonNode result) {
        String first = null;
        for (JsonNode root : result.path("roots")) {
            String inside = inside(root.path("uri").asString(""));
            if (inside == null) {
                LOG.log(Level.WARNING, "the root {0} is not a folder within the workspace {1}; it is not used",
                        Quoted.of(root.path("uri").asString("")), workspace);
            } else if (first == null) {
                first = inside;
            }
        }
        if (first != null && !first.equals(workdir)) {
            LOG.log(Level.INFO, "commands start in {0}, a root of the client", Quoted.of(first));
        }
        workdir = first;
    }

    private @Nullable String inside(String uri) {
        try {
            Path real = Path.of(URI.create(uri)).toRealPath();
            Path base = workspace.toRealPath();
            return real.startsWith(base) ? (real.equals(base) ? "." : base.relativize(real).toString()) : null;
        } catch (IOException | IllegalArgumentException | java.nio.file.FileSystemNotFoundException _) {
            return null;
        }
    }
}
