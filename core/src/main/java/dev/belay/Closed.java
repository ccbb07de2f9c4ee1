package dev.belay;

/// What closing a session did.
///
/// @param exit   how the leader ended
/// @param ended  how many processes the close ended, including the leader if it was still running
/// @param killed how many of these had to be killed because they did not end within the grace
/// @param proven whether the kernel has confirmed that no process is left, as it does for watched sessions and those
///               with a cgroup; otherwise Belay only found none
public record Closed(ExitStatus exit, int ended, int killed, boolean proven) {}
