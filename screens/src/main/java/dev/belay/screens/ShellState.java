package dev.belay.screens;

import org.jspecify.annotations.Nullable;

/// What a shell's marks say about it now.
///
/// @param signed   whether only marks with a key count
/// @param atPrompt whether it has shown its prompt and no command has begun since
/// @param after    the offset after the last mark; 0 if there was none
/// @param cwd      the folder that it is in; null if unknown
/// @param last     the command that began last; null if there was none
public record ShellState(boolean signed, boolean atPrompt, long after, @Nullable String cwd,
        @Nullable ShellCommand last) {}
