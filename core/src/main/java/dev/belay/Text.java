package dev.belay;

/// A stretch of the log as text. No character is ever split: bytes of a character that is not complete yet stay
/// unread, and each invalid byte becomes at most one U+FFFD.
///
/// @param offset    the offset of the first byte
/// @param next      the offset to read from next
/// @param lostBytes bytes in between that could not be read
/// @param ended     whether nothing more will ever come
public record Text(String text, long offset, long next, long lostBytes, boolean ended) {}
