package dev.belay.screens;

import dev.belay.screen.Snapshot;

/// What ended a wait for a screen, and what it shows.
///
/// @param text the text that matched, empty otherwise
public record ScreenWaited(Fired fired, Snapshot screen, String text) {
    /// What ended the wait.
    public enum Fired {
        MATCH,
        SETTLED,
        EXIT,
        TIMEOUT
    }
}
