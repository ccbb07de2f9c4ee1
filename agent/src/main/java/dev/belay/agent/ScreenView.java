package dev.belay.agent;

import java.util.List;

/// What an answer that shows a screen says about it besides its rows.
///
/// @param cursorRow    where the cursor is, from 1
/// @param cursorColumn the same
/// @param title        the terminal's title; empty if there is none
/// @param alternate    whether it is a full-screen program's
/// @param offset       where in the output the screen looked so
/// @param changesOnly  whether only rows that changed since the last answer are shown, with their numbers
/// @param selected     what stands in reverse video: in a menu, what Enter would take
/// @param uncertain    numbers of rows that output which is lost may have changed
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
