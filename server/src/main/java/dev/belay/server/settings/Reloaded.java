package dev.belay.server.settings;

import java.util.List;

/// The result of reading the settings again.
///
/// @param changed       the settings that were added, removed or changed
/// @param restartNeeded those that differ from what the server was started with, and take effect only at a start
/// @param principals    how many there are now
public record Reloaded(List<String> changed, List<String> restartNeeded, int principals) {
    public Reloaded {
        changed = List.copyOf(changed);
        restartNeeded = List.copyOf(restartNeeded);
    }
}
