package dev.belay.screen;

/// A part of a row's text in one style, by the indexes of its `char`s.
///
/// @param from  the first one
/// @param to    the one after the last
/// @param style never [Style#PLAIN]: what no span covers is plain
public record Span(int from, int to, Style style) {}
