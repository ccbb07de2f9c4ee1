package dev.belay.screens;

/// A line that a search found. A line that was wrapped is one line.
///
/// @param row     the number of its first row; a row that scrolls keeps its number
/// @param offset  where it begins in the output
/// @param text    the whole line
/// @param from    the index of the first `char` that matched
/// @param to      the index after the last one
/// @param certain false if output was lost that may have changed it
public record Found(long row, long offset, String text, int from, int to, boolean certain) {}
