package dev.belay;

/// Turns a terminal's bytes into plain text: escape sequences and control characters are removed, all but tab, line
/// feed and carriage return. Works on a stream: sequences and characters may be split between calls.
///
/// Not safe for several threads.
public final class PlainText {
    /// Sequences that carry text, such as a window title, are given up after this many bytes, so that one that never
    /// ends cannot hide all that follows.
    private static final int MAX_STRING_BYTES = 64 << 10;

    private static final int ESC = 0x1B;

    /// Receives the text.
    public interface Sink {
        /// Takes one character.
        ///
        /// @param end how many bytes of this call's input it took to complete the character
        void accept(int codePoint, int end);

        /// Is told of what is removed: a whole sequence or a control character.
        ///
        /// @param end how many bytes of this call's input it took to complete it
        default void removed(int end) {}
    }

    private enum State {
        GROUND,
        ESCAPE,
        INTERMEDIATE,
        CONTROL_SEQUENCE,
        STRING,
        STRING_ESCAPE
    }

    private State state = State.GROUND;
    private int stringBytes;
    private int partial;
    private int missing;
    private int lowest;
    private boolean accepted;

    public void feed(byte[] bytes, Sink sink) {
        for (int i = 0; i < bytes.length; i++) {
            int b = bytes[i] & 0xFF;
            if (missing > 0 && (b & 0xC0) != 0x80) {
                missing = 0;
                sink.accept(0xFFFD, i);
            }
            accepted = false;
            step(b, i + 1, sink);
            if (!accepted && state == State.GROUND && missing == 0) {
                sink.removed(i + 1);
            }
        }
    }

    /// Whether an escape sequence is under way.
    public boolean inSequence() {
        return state != State.GROUND;
    }

    private void accept(int codePoint, int end, Sink sink) {
        accepted = true;
        sink.accept(codePoint, end);
    }

    private void step(int b, int end, Sink sink) {
        switch (state) {
            case GROUND -> ground(b, end, sink);
            case ESCAPE, INTERMEDIATE, CONTROL_SEQUENCE -> sequence(b, end, sink);
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
                    step(b, end, sink);
                }
            }
        }
    }

    private void sequence(int b, int end, Sink sink) {
        if (b == ESC) {
            state = State.ESCAPE;
        } else if (b == 0x18 || b == 0x1A) {
            state = State.GROUND;
        } else if (b < 0x20) {
            // Terminals obey control characters in the middle of a sequence.
            ground(b, end, sink);
        } else if (b >= 0x80) {
            // Part of no sequence: the one under way was broken off.
            state = State.GROUND;
            ground(b, end, sink);
        } else {
            state = switch (state) {
                case ESCAPE -> switch (b) {
                    case '[' -> State.CONTROL_SEQUENCE;
                    case ']', 'P', 'X', '^', '_' -> string();
                    default -> b < 0x30 ? State.INTERMEDIATE : State.GROUND;
                };
                case INTERMEDIATE -> b < 0x30 ? State.INTERMEDIATE : State.GROUND;
                default -> b < 0x40 || b == 0x7F ? State.CONTROL_SEQUENCE : State.GROUND;
            };
        }
    }

    private State string() {
        stringBytes = 0;
        return State.STRING;
    }

    private void ground(int b, int end, Sink sink) {
        if (missing > 0) {
            partial = partial << 6 | (b & 0x3F);
            if (--missing == 0) {
                boolean valid = partial >= lowest && partial <= 0x10FFFF && (partial < 0xD800 || partial > 0xDFFF);
                if (valid && partial < 0xA0) {
                    // The control characters of the second set stand for ESC and a letter.
                    state = State.ESCAPE;
                    sequence(partial - 0x40, end, sink);
                } else {
                    accept(valid ? partial : 0xFFFD, end, sink);
                }
            }
        } else if (b == ESC) {
            state = State.ESCAPE;
        } else if (b < 0x80) {
            if ((b >= 0x20 && b != 0x7F) || b == '\n' || b == '\r' || b == '\t') {
                accept(b, end, sink);
            }
        } else if (b >= 0xC2 && b <= 0xF4) {
            missing = b >= 0xF0 ? 3 : b >= 0xE0 ? 2 : 1;
            lowest = missing == 3 ? 0x10000 : missing == 2 ? 0x800 : 0x80;
            partial = b & (0x3F >> missing);
        } else {
            accept(0xFFFD, end, sink);
        }
    }
}
