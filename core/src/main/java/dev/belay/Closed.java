package dev.belay;

/// What closing a session found and did.
///
/// @param exit   how the leader ended
/// @param killed how many processes had to be killed because they did not end within the grace
public record Closed(ExitStatus exit, int killed) {}
