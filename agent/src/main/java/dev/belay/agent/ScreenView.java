package dev.belay.agent;

import java.util.List;

/// What an answer that shows a screen says about it, in addition to its rows.
///
/// @param cursorRow    where the cursor is, from 1
/// @param cursorColumn the same
/// @param title        the terminal's title; empty if there is none
/// @param alternate    whether a full-screen program uses it
/// @param offset       the offset in the output that the screen belongs to
/// @param changesOnly  whether only rows that changed since the last answer are shown, with their numbers
/// @param selected     what is in reverse video: in a menu, what Enter would choose
/// @param uncertain    numbers of rows that lost output may have changed
public record ScreenView(
        int cursorRow,
        int cursorColumn,
        String title,
        boolean alternate,
        int cols,
        int rows,
        long offset,
        boolean changesOnly,
        List<String> selected,
        List<Integer> uncertain) {
    public ScreenView {
        selected = List.copyOf(selected);
        uncertain = List.copyOf(uncertain);
    }
}
