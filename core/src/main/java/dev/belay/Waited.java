package dev.belay;

/// What ended a wait, and where.
///
/// @param offset for a match the offset after its last byte, else the end of what was looked at
/// @param text   the text that matched, empty otherwise
public record Waited(Fired fired, long offset, String text) {
    /// What ended the wait.
    public enum Fired {
        MATCH,
        OFFSET,
        EXIT,
        IDLE,
        TIMEOUT
    }
}
