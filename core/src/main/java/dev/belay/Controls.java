package dev.belay;

/// Reads a terminal's bytes: characters, control characters, and escape sequences with their numbers. Sequences and
/// characters may be split between calls.
///
/// For one thread at a time.
final class Controls {
    /// A sequence that carries text, such as a window title, ends after this many bytes at the latest. Otherwise one
    /// without an end would hide everything after it.
    private static final int MAX_STRING_BYTES = 64 << 10;
    private static final int ESC = 0x1B;
    private static final int REPLACEMENT = 0xFFFD;

    /// Receives what was read.
    interface Sink {
        /// A character.
        ///
        /// @param start where it begins in the log
        /// @param bytes how long it is there
        void print(int codePoint, long start, int bytes);

        /// A control character other than ESC.
        void control(int c, long start);

        /// `CSI numbers last`.
        ///
        /// @param mark `?`, `>`, `=`, `<`, or a character between the numbers and the last one; 0 if there is none
        void sequence(char mark, char last, Numbers numbers);

        /// `ESC c`.
        void escape(char c);
    }

    /// The numbers of a sequence.
    static final class Numbers {
        private static final int MAX = 16;
        private static final int LARGEST = 65_535;
        private final int[] values = new int[MAX];
        private int count;
        private boolean given;

        int count() {
            return given ? Math.min(MAX, count + 1) : 0;
        }

        /// @param fallback if it is not there
        int get(int index, int fallback) {
            return index < count() && values[index] >= 0 ? values[index] : fallback;
        }

        private void clear() {
            count = 0;
            given = false;
            values[0] = -1;
        }

        private void digit(int digit) {
            given = true;
            if (count < MAX) {
                values[count] = Math.min(LARGEST, Math.max(0, values[count]) * 10 + digit);
            }
        }

        private void next() {
            given = true;
            if (++count < MAX) {
                values[count] = -1;
            }
        }
    }

    private enum State {
        GROUND,
        ESCAPE,
        INTERMEDIATE,
        CONTROL_SEQUENCE,
        STRING,
        STRING_ESCAPE
    }

    private final Sink sink;
    private final Numbers numbers = new Numbers();
    private State state = State.GROUND;
    private char mark;
    private int stringBytes;
    private int partial;
    private int missing;
    private int length;
    private int lowest;
    private long at;
    private long settled;

    Controls(long from, Sink sink) {
        this.at = from;
        this.settled = from;
        this.sink = sink;
    }

    /// The offset after the last whole character or sequence.
    long settled() {
        return settled;
    }

    /// The offset after the last byte.
    long at() {
        return at;
    }

    /// Whether what was read ends within an escape sequence.
    boolean inSequence() {
        return state != State.GROUND;
    }

    void feed(byte[] bytes) {
        for (byte each : bytes) {
            feed(each);
        }
    }

    void feed(byte one) {
        int b = one & 0xFF;
        if (missing > 0 && (b & 0xC0) != 0x80) {
            replaced();
        }
        at++;
        if (state == State.GROUND && missing == 0 && b >= 0x20 && b < 0x7F) {
            sink.print(b, at - 1, 1);
        } else {
            step(b);
        }
        if (state == State.GROUND && missing == 0) {
            settled = at;
        }
    }

    /// Nothing follows: what is not whole is over.
    void end() {
        if (missing > 0) {
            replaced();
        }
        state = State.GROUND;
        settled = at;
    }

    void skipTo(long offset) {
        at = offset;
        settled = offset;
    }

    /// A character that is broken off.
    private void replaced() {
        int read = length - missing;
        missing = 0;
        sink.print(REPLACEMENT, at - read, read);
        settled = at;
    }

    private void step(int b) {
        switch (state) {
            case GROUND -> ground(b);
            case ESCAPE, INTERMEDIATE, CONTROL_SEQUENCE -> sequence(b);
            case STRING -> {
                if (b == 0x07 || b == 0x18 || b == 0x1A || ++stringBytes > MAX_STRING_BYTES) {
                    state = State.GROUND;
                } else if (b == ESC) {
                    state = State.STRING_ESCAPE;
                }
            }
            case STRING_ESCAPE -> {
                state = State.ESCAPE;
                if (b == '\\') {
                    state = State.GROUND;
                } else {
                    step(b);
                }
            }
        }
    }

    private void sequence(int b) {
        if (b == ESC) {
            state = State.ESCAPE;
        } else if (b == 0x18 || b == 0x1A) {
            state = State.GROUND;
        } else if (b < 0x20) {
            // Terminals obey control characters in the middle of a sequence.
            sink.control(b, at - 1);
        } else if (b >= 0x80) {
            // Not part of any sequence: the current one was broken off.
            state = State.GROUND;
            ground(b);
        } else {
            inside(b);
        }
    }

    private void inside(int b) {
        switch (state) {
            case ESCAPE -> escape(b);
            case INTERMEDIATE -> state = b < 0x30 ? State.INTERMEDIATE : State.GROUND;
            default -> {
                if (b >= '0' && b <= '9') {
                    numbers.digit(b - '0');
                } else if (b == ';' || b == ':') {
                    numbers.next();
                } else if (b < 0x40) {
                    mark = (char) b;
                } else if (b != 0x7F) {
                    state = State.GROUND;
                    sink.sequence(mark, (char) b, numbers);
                }
            }
        }
    }

    private void escape(int b) {
        switch (b) {
            case '[' -> {
                numbers.clear();
                mark = 0;
                state = State.CONTROL_SEQUENCE;
            }
            case ']', 'P', 'X', '^', '_' -> {
                stringBytes = 0;
                state = State.STRING;
            }
            default -> {
                state = b < 0x30 ? State.INTERMEDIATE : State.GROUND;
                if (state == State.GROUND) {
                    sink.escape((char) b);
                }
            }
        }
    }

    private void ground(int b) {
        if (missing > 0) {
            partial = partial << 6 | (b & 0x3F);
            if (--missing == 0) {
                whole();
            }
        } else if (b == ESC) {
            state = State.ESCAPE;
        } else if (b < 0x20) {
            sink.control(b, at - 1);
        } else if (b < 0x7F) {
            sink.print(b, at - 1, 1);
        } else if (b >= 0xC2 && b <= 0xF4) {
            missing = b >= 0xF0 ? 3 : b >= 0xE0 ? 2 : 1;
            length = missing + 1;
            lowest = missing == 3 ? 0x10000 : missing == 2 ? 0x800 : 0x80;
            partial = b & (0x3F >> missing);
        } else if (b != 0x7F) {
            sink.print(REPLACEMENT, at - 1, 1);
        }
    }

    private void whole() {
        boolean valid = partial >= lowest && partial <= 0x10FFFF && (partial < 0xD800 || partial > 0xDFFF);
        if (valid && partial < 0xA0) {
            // The C1 control characters are short for ESC and a letter.
            state = State.ESCAPE;
            escape(partial - 0x40);
        } else {
            sink.print(valid ? partial : REPLACEMENT, at - length, length);
        }
    }
}
