package dev.belay.screen;

/// The modes that a program has set.
///
/// @param alternate          is the alternate screen shown?
/// @param insert             do characters push others to the right? (IRM)
/// @param newLine            does a line feed return the carriage? (LNM)
/// @param cursorKeys         do arrow keys send `ESC O`? (DECCKM)
/// @param keypad             does the keypad send `ESC O`? (DECNKM)
/// @param origin             do positions count from the upper margin? (DECOM)
/// @param wrap               do characters continue in the next row? (DECAWM)
/// @param reverseWrap        does a backspace go back to the row above?
/// @param focus              are changes of focus reported?
/// @param bracketedPaste     are pasted texts marked?
/// @param synchronizedUpdate is the program in the middle of an update?
/// @param mouse              what is reported of the mouse
/// @param mouseEncoding      and how
public record Modes(boolean alternate, boolean insert, boolean newLine, boolean cursorKeys, boolean keypad,
        boolean origin,
        boolean wrap, boolean reverseWrap, boolean focus, boolean bracketedPaste, boolean synchronizedUpdate,
        Mouse mouse,
        MouseEncoding mouseEncoding) {
    /// What is reported of the mouse: modes 9, 1000, 1002 and 1003.
    public enum Mouse {
        OFF,
        X10,
        BUTTONS,
        DRAG,
        ANY
    }

    /// How: modes 1006 and 1016.
    public enum MouseEncoding {
        DEFAULT,
        SGR,
        PIXELS
    }
}
