package dev.belay;

/// Why an operation was refused. Every front door maps exactly these codes to its own protocol.
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
    /// A session with that id already exists.
    ALREADY_EXISTS,
    /// The session's input is closed.
    NOT_WRITABLE,
    /// The input is larger than one write may be.
    TOO_LARGE,
    /// The program could not be started.
    SPAWN_FAILED,
    /// All permits are in use.
    LIMIT_REACHED,
    /// Too many requests in too short a time.
    RATE_LIMITED,
    /// Belay is shutting down, or the machine lacks something Belay needs.
    UNAVAILABLE,
    /// Something did not happen in time.
    TIMEOUT,
    /// A fault in Belay or in the machine.
    INTERNAL
}
