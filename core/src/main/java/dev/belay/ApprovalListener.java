package dev.belay;

/// Listens to decisions about programs that watched sessions start. Called on the thread that decides, before the
/// program goes on: an implementation must be quick and must not block. Its exceptions are logged.
public interface ApprovalListener {
    /// Somebody has to answer. Called again when `count` changes.
    default void asked(Approval approval) {}

    /// A question is closed; `state` says how.
    default void closed(Approval approval) {}

    /// A program may not start, and nobody was asked.
    default void denied(Approval approval) {}

    /// An approved program has started, or not.
    default void checked(Approval approval, Approval.Check check) {}
}
