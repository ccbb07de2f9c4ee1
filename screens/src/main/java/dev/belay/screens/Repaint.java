package dev.belay.screens;

import dev.belay.Size;

/// Brings a terminal to the state of a session's screen: reset it, give it the size, write the bytes. Output
/// continues at the offset.
@SuppressWarnings("ArrayRecordComponent")
public record Repaint(long offset, Size size, byte[] bytes) {}
