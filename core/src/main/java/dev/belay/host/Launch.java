package dev.belay.host;

import dev.belay.Guard;
import dev.belay.Mode;
import dev.belay.Resources;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a host has to start.
///
/// @param mark   the value of `BELAY_SESSION` that every process of the session carries: `instance/id/life`
/// @param env    the whole environment, including the mark
/// @param guard  the restrictions on the session
/// @param guardedBy what enforces them, as [Host#requireGuard] said
/// @param hidden files and folders that a sandbox never shows: Belay's own
/// @param startUp a folder that a sandbox shows too, and lets its user read; null if there is none
public record Launch(String mark, List<String> command, String workdir, Map<String, String> env, Mode mode,
        Resources resources, Guard guard, String guardedBy, List<Path> hidden, @Nullable Path startUp) {
    /// An unguarded launch.
    public Launch(
            String mark, List<String> command, String workdir, Map<String, String> env, Mode mode,
            Resources resources) {
        this(mark, command, workdir, env, mode, resources, Guard.NONE, "", List.of(), null);
    }

    /// Shows only the names of variables, because their values may be secret.
    @Override
    public String toString() {
        return "Launch[mark=" + mark + ", command=" + command + ", workdir=" + workdir + ", env=" + env.keySet()
                + ", mode=" + mode + ", resources=" + resources + ", guard=" + guard + "]";
    }
}
