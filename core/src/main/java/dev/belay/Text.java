package dev.belay;

/// A stretch of the log as text. Characters are never split: the bytes of an incomplete character stay unread, and each
/// invalid byte becomes at most one U+FFFD.
///
/// @param offset    the offset of the first byte
/// @param next      the offset to read from next
/// @param lostBytes how many bytes in between could not be read
/// @param ended     whether nothing more will come
public record Text(String text, long offset, long next, long lostBytes, boolean ended) {}
