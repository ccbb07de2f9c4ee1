package dev.belay.screen;

/// The modes that programs set and reset, except which screen is shown.
final class Switches {
    boolean insert;
    boolean newLine;
    boolean cursorKeys;
    boolean keypad;
    boolean origin;
    boolean wrap;
    boolean reverseWrap;
    boolean focus;
    boolean bracketedPaste;
    boolean synchronizedUpdate;
    boolean cursorHidden;
    boolean cursorBlink;
    /// DECSCUSR: 0 is the terminal's own.
    int cursorShape;
    Modes.Mouse mouse = Modes.Mouse.OFF;
    Modes.MouseEncoding mouseEncoding = Modes.MouseEncoding.DEFAULT;

    Switches() {
        reset();
    }

    /// All as in a new terminal.
    void reset() {
        softReset();
        newLine = false;
        cursorBlink = false;
        mouse = Modes.Mouse.OFF;
        mouseEncoding = Modes.MouseEncoding.DEFAULT;
    }

    /// What DECSTR resets.
    void softReset() {
        insert = false;
        cursorKeys = false;
        keypad = false;
        origin = false;
        wrap = true;
        reverseWrap = false;
        focus = false;
        bracketedPaste = false;
        synchronizedUpdate = false;
        cursorHidden = false;
        cursorShape = 0;
    }

    /// Sets or resets a mode of `CSI ? h` that is no more than a switch.
    void setPrivate(int mode, boolean on) {
        switch (mode) {
            case 1 -> cursorKeys = on;
            case 7 -> wrap = on;
            case 9 -> mouse = on ? Modes.Mouse.X10 : Modes.Mouse.OFF;
            case 12 -> cursorBlink = on;
            case 25 -> cursorHidden = !on;
            case 45 -> reverseWrap = on;
            case 66 -> keypad = on;
            case 1000 -> mouse = on ? Modes.Mouse.BUTTONS : Modes.Mouse.OFF;
            case 1002 -> mouse = on ? Modes.Mouse.DRAG : Modes.Mouse.OFF;
            case 1003 -> mouse = on ? Modes.Mouse.ANY : Modes.Mouse.OFF;
            case 1004 -> focus = on;
            case 1006 -> mouseEncoding = on ? Modes.MouseEncoding.SGR : Modes.MouseEncoding.DEFAULT;
            case 1016 -> mouseEncoding = on ? Modes.MouseEncoding.PIXELS : Modes.MouseEncoding.DEFAULT;
            case 2004 -> bracketedPaste = on;
            case 2026 -> synchronizedUpdate = on;
            default -> {
            }
        }
    }

    /// DECRQM's answer for a mode of `CSI ? h`: 0 unknown, 1 set, 2 reset, 3 always set, 4 always reset.
    int reportPrivate(int mode, boolean alternate) {
        return switch (mode) {
            case 1 -> report(cursorKeys);
            case 6 -> report(origin);
            case 7 -> report(wrap);
            case 8 -> 3;
            case 9 -> report(mouse == Modes.Mouse.X10);
            case 12 -> report(cursorBlink);
            case 25 -> report(!cursorHidden);
            case 45 -> report(reverseWrap);
            case 47, 1047, 1049 -> report(alternate);
            case 66 -> report(keypad);
            case 67, 1005, 1015 -> 4;
            case 1000 -> report(mouse == Modes.Mouse.BUTTONS);
            case 1002 -> report(mouse == Modes.Mouse.DRAG);
            case 1003 -> report(mouse == Modes.Mouse.ANY);
            case 1004 -> report(focus);
            case 1006 -> report(mouseEncoding == Modes.MouseEncoding.SGR);
            case 1016 -> report(mouseEncoding == Modes.MouseEncoding.PIXELS);
            case 1048 -> 1;
            case 2004 -> report(bracketedPaste);
            case 2026 -> report(synchronizedUpdate);
            default -> 0;
        };
    }

    /// The same for a mode of `CSI h`.
    int report(int mode) {
        return switch (mode) {
            case 2 -> 4;
            case 4 -> report(insert);
            case 12 -> 3;
            case 20 -> report(newLine);
            default -> 0;
        };
    }

    private static int report(boolean on) {
        return on ? 1 : 2;
    }

    Modes view(boolean alternate) {
        return new Modes(alternate, insert, newLine, cursorKeys, keypad, origin, wrap, reverseWrap, focus,
                bracketedPaste,
                synchronizedUpdate, mouse, mouseEncoding);
    }
}
