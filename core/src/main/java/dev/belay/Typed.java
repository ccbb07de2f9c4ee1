package dev.belay;

import java.time.Instant;

/// Who typed into a session last.
///
/// @param agent whether it was an agent of that principal
public record Typed(String by, boolean agent, Instant at) {}
