package dev.belay.screen;

import static dev.belay.screen.States.CSI_ENTRY;
import static dev.belay.screen.States.DCS;
import static dev.belay.screen.States.ESCAPE;
import static dev.belay.screen.States.GROUND;
import static dev.belay.screen.States.OSC;
import static dev.belay.screen.States.STRING;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Cuts a stream of bytes into characters, controls, sequences and strings. Broken UTF-8 is passed over, as xterm.js
/// does.
///
/// What is whole in a chunk is taken by [#ground]; the rest comes byte by byte through [States].
abstract class Parser {
    static final int UNDECIDED = -1;

    final ScreenLimits limits;
    final Params params = new Params();
    /// Prefix and intermediates of a sequence, then its final byte: `'?' << 8 | 'h'`.
    int function;
    /// The offset after the byte that is being executed.
    long at;
    /// An index in the chunk plus this is its offset.
    long shift;
    /// Does any byte of the sequence that is being read belong to private output?
    boolean tainted;
    private boolean veiled;

    private int state = GROUND;
    /// Bytes still missing in a character, what there is of it, and the least code that may have so many bytes.
    private int missing;
    private int partial;
    private int least;

    /// The bytes of the sequence that is not complete, as far as they matter; and where it begins.
    private byte[] held = new byte[32];
    private int heldLength;
    long heldFrom;

    private final ByteArrayOutputStream payload = new ByteArrayOutputStream();
    private boolean overlong;
    private int stringKind;
    private long stringLength;
    private int asks;

    Parser(ScreenLimits limits) {
        this.limits = limits;
        params.clear();
    }

    /// Takes what it can of a chunk, from outside of any sequence. Gives the index of the first byte that it leaves.
    abstract int ground(byte[] bytes, int from, int to);

    abstract void print(int code);

    abstract void execute(int control);

    abstract void escape();

    abstract void control();

    /// A string has ended: `]` (OSC), `P` (DCS, with its function), or `X`, `^`, `_`. One that was cancelled has no
    /// effect.
    abstract void string(int kind, boolean cancelled);

    final void feedAll(byte[] bytes, int from, int to) {
        shift = at - from;
        int next = from;
        while (next < to) {
            if (idle()) {
                next = ground(bytes, next, to);
                if (next >= to) {
                    break;
                }
            }
            at = shift + next + 1;
            take(bytes[next++]);
        }
        at = shift + to;
    }

    /// Is no sequence and no character begun?
    final boolean idle() {
        return (state | missing) == GROUND;
    }

    final boolean inString() {
        return state == STRING || state == OSC || state == DCS;
    }

    /// Is a sequence begun that may ask something, or a character?
    final boolean mayAsk() {
        return !idle() && !(inString() && asking() == 0);
    }

    final boolean veiled() {
        return veiled;
    }

    final void setVeiled(boolean on) {
        veiled = on;
        tainted |= on && !idle();
    }

    /// A gap: whatever was begun is lost.
    final void abandon() {
        state = GROUND;
        missing = 0;
        heldLength = 0;
        params.clear();
        function = 0;
    }

    private void take(byte raw) {
        if (idle()) {
            hold(raw, true);
        } else {
            hold(raw, false);
        }
        if (missing > 0) {
            if ((raw & 0xc0) == 0x80) {
                partial = partial << 6 | (raw & 0x3f);
                if (--missing == 0 && isCharacter(partial, least)) {
                    step(partial);
                }
                return;
            }
            missing = 0;
            if (state == GROUND) {
                hold(raw, true);
            }
        }
        if (raw >= 0) {
            step(raw);
        } else if ((raw & 0xe0) == 0xc0) {
            expect(1, raw & 0x1f, 0x80);
        } else if ((raw & 0xf0) == 0xe0) {
            expect(2, raw & 0x0f, 0x800);
        } else if ((raw & 0xf8) == 0xf0) {
            expect(3, raw & 0x07, 0x10000);
        }
    }

    private void expect(int bytes, int bits, int smallest) {
        missing = bytes;
        partial = bits;
        least = smallest;
    }

    /// Neither too long an encoding, nor a surrogate, nor a byte order mark, nor beyond Unicode.
    static boolean isCharacter(int code, int least) {
        return code >= least && (code & ~0x7ff) != 0xd800 && code != 0xfeff && code <= 0x10ffff;
    }

    private void hold(byte raw, boolean first) {
        if (first) {
            heldLength = 0;
            heldFrom = at - 1;
            tainted = veiled;
        }
        if (heldLength == held.length) {
            if (heldLength >= limits.oscBytes() + 16) {
                return;
            }
            held = Arrays.copyOf(held, heldLength * 2);
        }
        held[heldLength++] = raw;
    }

    private void step(int code) {
        int transition = States.next(state, code);
        int next = transition & 15;
        switch (transition >> 4) {
            case States.PRINT -> print(code);
            case States.EXECUTE -> {
                if (next != GROUND) {
                    // done at once, so not to be done again with the rest of the sequence
                    heldLength--;
                }
                execute(code);
            }
            case States.CLEAR -> begin(code, next);
            case States.COLLECT -> function = function << 8 | code;
            case States.PARAM -> params.take(code);
            case States.DO_ESC -> {
                function = function << 8 | code;
                state = GROUND;
                escape();
            }
            case States.DO_CSI -> {
                function = function << 8 | code;
                state = GROUND;
                control();
            }
            case States.STRING_START -> openString((code & 0x1f) | 0x40);
            case States.DCS_HOOK -> {
                function = function << 8 | code;
                openString('P');
            }
            case States.STRING_PUT -> put(code);
            case States.STRING_END -> {
                string(stringKind, code == 0x18 || code == 0x1a);
                begin(code, next);
            }
            default -> {
            }
        }
        state = next;
        if ((next == STRING || next == OSC || next == DCS) && ++stringLength == limits.stringBytes()
                && asks != 0) {
            state = GROUND;
            gaveUp();
        }
    }

    /// A string that may ask something, and has no end, is over.
    void gaveUp() {}

    private void begin(int code, int next) {
        params.clear();
        function = 0;
        if (code == 0x1b && next == ESCAPE) {
            byte[] one = {0x1b};
            hold(one[0], true);
        } else if (next == CSI_ENTRY || next == States.DCS_ENTRY) {
            stringLength = 0;
        }
    }

    private void openString(int kind) {
        stringKind = kind;
        stringLength = 0;
        payload.reset();
        overlong = false;
        asks = switch (kind) {
            case ']', '_' -> UNDECIDED;
            case 'P' -> TerminalQueries.inDcs(function) ? 1 : 0;
            default -> 0;
        };
    }

    private void put(int code) {
        if (asks == UNDECIDED) {
            asks = stringKind == '_' ? code == 'G' ? 1 : 0 : TerminalQueries.inOsc(payload(), code);
        }
        if (overlong || stringKind == 'X' || stringKind == '^') {
            return;
        }
        if (payload.size() + 4 > limits.oscBytes()) {
            overlong = true;
            payload.reset();
        } else if (code < 0x80) {
            payload.write(code);
        } else {
            payload.writeBytes(Character.toString(code).getBytes(StandardCharsets.UTF_8));
        }
    }

    /// What the string says, without its introducer; empty if it was too long.
    final String payload() {
        return payload.toString(StandardCharsets.UTF_8);
    }

    final boolean overlong() {
        return overlong;
    }

    /// May the string that is being read ask something? 0 no, 1 yes, [#UNDECIDED] as far as can be seen.
    final int asking() {
        return asks;
    }

    /// The bytes of what is not complete.
    final byte[] held() {
        return idle() ? new byte[0] : Arrays.copyOf(held, heldLength);
    }

    final long stringLength() {
        return inString() ? stringLength : 0;
    }

    /// Goes on with what was not complete, as [#held] gave it.
    final void resume(byte[] bytes, long from, long length, boolean secret, long end) {
        at = end;
        for (byte raw : bytes) {
            take(raw);
        }
        heldFrom = from;
        tainted = secret;
        if (inString()) {
            stringLength = length;
        }
        at = end;
    }
}
