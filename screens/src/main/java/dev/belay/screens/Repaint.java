package dev.belay.screens;

import dev.belay.Size;

/// Brings a terminal to the state of a session's screen: reset it, give it the size, write the bytes. The output goes
/// on at the offset.
@SuppressWarnings("ArrayRecordComponent")
public record Repaint(long offset, Size size, byte[] bytes) {}
