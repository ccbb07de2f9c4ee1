package dev.belay.screen;

/// The states of Paul Williams' parser for DEC terminals, with xterm.js's additions: a code and a state give an action
/// and the next state.
final class States {
    static final int GROUND = 0;
    static final int ESCAPE = 1;
    static final int ESCAPE_BETWEEN = 2;
    static final int CSI_ENTRY = 3;
    static final int CSI_PARAM = 4;
    static final int CSI_BETWEEN = 5;
    static final int CSI_IGNORE = 6;
    static final int STRING = 7;
    static final int OSC = 8;
    static final int DCS_ENTRY = 9;
    static final int DCS_PARAM = 10;
    static final int DCS_IGNORE = 11;
    static final int DCS_BETWEEN = 12;
    static final int DCS = 13;

    static final int NOTHING = 0;
    static final int PRINT = 1;
    static final int EXECUTE = 2;
    static final int CLEAR = 3;
    static final int COLLECT = 4;
    static final int PARAM = 5;
    static final int DO_ESC = 6;
    static final int DO_CSI = 7;
    static final int STRING_START = 8;
    static final int STRING_PUT = 9;
    static final int STRING_END = 10;
    static final int DCS_HOOK = 11;

    private static final int CODES = 0xa1;
    private static final byte[] TABLE = new byte[CODES * (DCS + 1)];

    static {
        anywhere();
        ground();
        escape();
        csi();
        strings();
        dcs();
    }

    private States() {}

    /// The next state in the low four bits, the action above. Codes from 0xa0 are all the same.
    static int next(int state, int code) {
        return TABLE[state * CODES + Math.min(code, CODES - 1)] & 0xff;
    }

    private static void on(int state, int from, int to, int action, int next) {
        for (int code = from; code <= to; code++) {
            TABLE[state * CODES + code] = (byte) (action << 4 | next);
        }
    }

    /// The control characters that neither cancel nor begin anything.
    private static void onControls(int state, int action) {
        on(state, 0x00, 0x17, action, state);
        on(state, 0x19, 0x19, action, state);
        on(state, 0x1c, 0x1f, action, state);
    }

    private static void anywhere() {
        for (int state = GROUND; state <= DCS; state++) {
            on(state, 0x18, 0x18, EXECUTE, GROUND);
            on(state, 0x1a, 0x1a, EXECUTE, GROUND);
            on(state, 0x80, 0x9a, EXECUTE, GROUND);
            on(state, 0x9c, 0x9c, NOTHING, GROUND);
            on(state, 0x1b, 0x1b, CLEAR, ESCAPE);
            on(state, 0x9d, 0x9d, STRING_START, OSC);
            on(state, 0x98, 0x98, STRING_START, STRING);
            on(state, 0x9e, 0x9f, STRING_START, STRING);
            on(state, 0x9b, 0x9b, CLEAR, CSI_ENTRY);
            on(state, 0x90, 0x90, CLEAR, DCS_ENTRY);
        }
    }

    private static void ground() {
        onControls(GROUND, EXECUTE);
        on(GROUND, 0x20, 0x7e, PRINT, GROUND);
        on(GROUND, 0xa0, 0xa0, PRINT, GROUND);
    }

    private static void escape() {
        onControls(ESCAPE, EXECUTE);
        on(ESCAPE, 0x20, 0x2f, COLLECT, ESCAPE_BETWEEN);
        on(ESCAPE, 0x30, 0x7e, DO_ESC, GROUND);
        on(ESCAPE, 0x7f, 0x7f, NOTHING, ESCAPE);
        on(ESCAPE, '[', '[', CLEAR, CSI_ENTRY);
        on(ESCAPE, ']', ']', STRING_START, OSC);
        on(ESCAPE, 'P', 'P', CLEAR, DCS_ENTRY);
        on(ESCAPE, 'X', 'X', STRING_START, STRING);
        on(ESCAPE, '^', '_', STRING_START, STRING);
        onControls(ESCAPE_BETWEEN, EXECUTE);
        on(ESCAPE_BETWEEN, 0x20, 0x2f, COLLECT, ESCAPE_BETWEEN);
        on(ESCAPE_BETWEEN, 0x30, 0x7e, DO_ESC, GROUND);
        on(ESCAPE_BETWEEN, 0x7f, 0x7f, NOTHING, ESCAPE_BETWEEN);
    }

    private static void csi() {
        for (int state = CSI_ENTRY; state <= CSI_IGNORE; state++) {
            onControls(state, EXECUTE);
            on(state, 0x20, 0x2f, COLLECT, CSI_BETWEEN);
            on(state, 0x30, 0x3b, PARAM, CSI_PARAM);
            on(state, 0x3c, 0x3f, NOTHING, CSI_IGNORE);
            on(state, 0x40, 0x7e, DO_CSI, GROUND);
            on(state, 0x7f, 0x7f, NOTHING, state);
        }
        on(CSI_ENTRY, 0x3c, 0x3f, COLLECT, CSI_PARAM);
        on(CSI_BETWEEN, 0x30, 0x3f, NOTHING, CSI_IGNORE);
        on(CSI_IGNORE, 0x20, 0x3f, NOTHING, CSI_IGNORE);
        on(CSI_IGNORE, 0x40, 0x7e, NOTHING, GROUND);
        on(CSI_IGNORE, 0xa0, 0xa0, NOTHING, CSI_IGNORE);
    }

    private static void strings() {
        onControls(STRING, NOTHING);
        on(STRING, 0x20, 0x7f, STRING_PUT, STRING);
        on(STRING, 0x18, 0x18, STRING_END, GROUND);
        on(STRING, 0x1a, 0x1a, STRING_END, GROUND);
        on(STRING, 0x1b, 0x1b, STRING_END, ESCAPE);
        on(STRING, 0x9c, 0x9c, STRING_END, GROUND);
        onControls(OSC, NOTHING);
        on(OSC, 0x07, 0x07, STRING_END, GROUND);
        on(OSC, 0x18, 0x18, STRING_END, GROUND);
        on(OSC, 0x1a, 0x1a, STRING_END, GROUND);
        on(OSC, 0x1b, 0x1b, STRING_END, ESCAPE);
        on(OSC, 0x9c, 0x9c, STRING_END, GROUND);
        on(OSC, 0x20, 0x7f, STRING_PUT, OSC);
        on(OSC, 0xa0, 0xa0, STRING_PUT, OSC);
    }

    private static void dcs() {
        for (int state : new int[] {DCS_ENTRY, DCS_PARAM, DCS_BETWEEN}) {
            onControls(state, NOTHING);
            on(state, 0x20, 0x2f, COLLECT, DCS_BETWEEN);
            on(state, 0x30, 0x3b, PARAM, DCS_PARAM);
            on(state, 0x3c, 0x3f, NOTHING, DCS_IGNORE);
            on(state, 0x40, 0x7e, DCS_HOOK, DCS);
            on(state, 0x7f, 0x7f, NOTHING, state);
        }
        on(DCS_ENTRY, 0x3c, 0x3f, COLLECT, DCS_PARAM);
        on(DCS_BETWEEN, 0x30, 0x3f, NOTHING, DCS_IGNORE);
        onControls(DCS_IGNORE, NOTHING);
        on(DCS_IGNORE, 0x20, 0x7f, NOTHING, DCS_IGNORE);
        on(DCS_IGNORE, 0xa0, 0xa0, NOTHING, DCS_IGNORE);
        onControls(DCS, STRING_PUT);
        on(DCS, 0x20, 0x7e, STRING_PUT, DCS);
        on(DCS, 0x7f, 0x7f, NOTHING, DCS);
        on(DCS, 0xa0, 0xa0, STRING_PUT, DCS);
        on(DCS, 0x18, 0x18, STRING_END, GROUND);
        on(DCS, 0x1a, 0x1a, STRING_END, GROUND);
        on(DCS, 0x1b, 0x1b, STRING_END, ESCAPE);
        on(DCS, 0x9c, 0x9c, STRING_END, GROUND);
    }
}
