package dev.belay.screens;

import dev.belay.Session;

/// A session, and how much of its screen is known: everything up to an offset; 0 for nothing.
public record Since(Session session, long offset) {}
