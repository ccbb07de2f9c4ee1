package dev.belay;

/// Why an operation was refused. Every front door maps these codes, and only these, to its own protocol.
public enum ErrorCode {
    /// The request itself is wrong: an empty command, a bad id, a size out of range.
    INVALID_REQUEST,
    /// Nobody is signed in.
    UNAUTHENTICATED,
    /// The actor may not do this, for instance because somebody else has the keyboard.
    DENIED,
    /// The folder lies outside the workspace.
    OUTSIDE_WORKSPACE,
    /// There is no such session or folder.
    NOT_FOUND,
    /// A session of that id exists already.
    ALREADY_EXISTS,
    /// The session's input is closed.
    NOT_WRITABLE,
    /// The input is larger than one write may be.
    TOO_LARGE,
    /// The program could not be started.
    SPAWN_FAILED,
    /// All permits are taken.
    LIMIT_REACHED,
    /// Too many requests in too short a time.
    RATE_LIMITED,
    /// Belay is shutting down, or the machine lacks something Belay needs.
    UNAVAILABLE,
    /// Something did not happen in time.
    TIMEOUT,
    /// A fault of Belay itself or of the machine.
    INTERNAL
}
