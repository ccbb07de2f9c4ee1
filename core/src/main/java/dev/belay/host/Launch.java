package dev.belay.host;

import dev.belay.Mode;
import dev.belay.Resources;
import java.util.List;
import java.util.Map;

/// What a host is to start.
///
/// @param mark the value of `BELAY_SESSION` that every process of the session carries: `instance/id`
/// @param env  the whole environment, the mark included
public record Launch(String mark, List<String> command, String workdir, Map<String, String> env, Mode mode,
        Resources resources) {
    /// The values of variables may be secret; only their names are shown.
    @Override
    public String toString() {
        return "Launch[mark=" + mark + ", command=" + command + ", workdir=" + workdir + ", env=" + env.keySet()
                + ", mode=" + mode + ", resources=" + resources + "]";
    }
}
