package dev.belay.cli;

/// How to attach.
///
/// @param watch whether only to watch
/// @param lease 0 leaves the keyboard to anybody, 1 takes it, 2 takes it privately
record AttachOptions(boolean watch, int lease) {}
