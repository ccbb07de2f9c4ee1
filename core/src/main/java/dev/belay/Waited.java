package dev.belay;

/// What ended a wait, and where.
///
/// @param offset for a match, the offset after its last byte; otherwise the end of what was searched
/// @param text   the text that matched, empty otherwise
public record Waited(Fired fired, long offset, String text) {
    /// What ended the wait.
    public enum Fired {
        MATCH,
        OFFSET,
        EXIT,
        IDLE,
        INPUT,
        CUT,
        APPROVAL,
        SEEN,
        TIMEOUT
    }
}
