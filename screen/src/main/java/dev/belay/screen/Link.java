package dev.belay.screen;

/// Where an OSC 8 link leads. A private one was opened by private output.
record Link(String id, String target, boolean isPrivate) {}
