package dev.belay.screens;

import dev.belay.Session;

/// A session, and what is known of its screen: everything up to an offset; 0 for nothing.
public record Since(Session session, long offset) {}
