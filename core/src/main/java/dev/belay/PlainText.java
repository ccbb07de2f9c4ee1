package dev.belay;

/// Turns a terminal's bytes into plain text: removes escape sequences, and control characters except tab, line feed and
/// carriage return. Works on a stream: sequences and characters may be split between calls.
///
/// For one thread at a time.
public final class PlainText {
    /// Receives the text.
    public interface Sink {
        /// Receives one character.
        ///
        /// @param end how many bytes of this call's input have been read up to the end of the character
        void accept(int codePoint, int end);

        /// A whole sequence or a control character was removed.
        ///
        /// @param end how many bytes of this call's input have been read up to its end
        default void removed(int end) {}
    }

    private final Controls controls = new Controls(0, new Remaining());
    private Sink sink = (_, _) -> {};
    /// Where this call's input begins.
    private long from;
    /// The end of the last character that was given out.
    private long accepted;

    /// Gives out what stays.
    private final class Remaining implements Controls.Sink {
        @Override
        public void print(int codePoint, long start, int bytes) {
            accepted = start + bytes;
            sink.accept(codePoint, (int) (accepted - from));
        }

        @Override
        public void control(int c, long start) {
            if (c == '\n' || c == '\r' || c == '\t') {
                print(c, start, 1);
            }
        }

        @Override
        public void sequence(char mark, char last, Controls.Numbers numbers) {}

        @Override
        public void escape(char c) {}
    }

    public void feed(byte[] bytes, Sink to) {
        sink = to;
        from = controls.at();
        for (byte each : bytes) {
            controls.feed(each);
            if (controls.settled() == controls.at() && accepted != controls.at()) {
                to.removed((int) (controls.at() - from));
            }
        }
    }

    /// Whether the input so far ends within an escape sequence.
    public boolean inSequence() {
        return controls.inSequence();
    }
}
