package dev.belay.server.settings;

import java.util.List;

/// What came of reading the settings again.
///
/// @param changed       the settings that are new, gone or other than before
/// @param restartNeeded those that differ from what the server was started with, and that it takes only at its start
/// @param principals    how many there are now
public record Reloaded(List<String> changed, List<String> restartNeeded, int principals) {
    public Reloaded {
        changed = List.copyOf(changed);
        restartNeeded = List.copyOf(restartNeeded);
    }
}
