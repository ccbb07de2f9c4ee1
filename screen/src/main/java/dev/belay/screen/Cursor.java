package dev.belay.screen;

import java.util.List;

/// Where the cursor is and how it looks.
///
/// @param row     from 0, in the screen
/// @param column  from 0; the number of columns if the next character goes to the next row
/// @param visible is it shown?
/// @param shape   as the program asked for it
/// @param blinks  does it blink?
public record Cursor(int row, int column, boolean visible, Shape shape, boolean blinks) {
    /// DECSCUSR.
    public enum Shape {
        DEFAULT,
        BLOCK,
        UNDERLINE,
        BAR
    }

    static Cursor of(Grid grid, Switches switches) {
        int shape = switches.cursorShape;
        return new Cursor(grid.y, grid.x, !switches.cursorHidden, List.of(Shape.values()).get((shape + 1) / 2),
                shape == 0 ? switches.cursorBlink : shape % 2 == 1);
    }
}
