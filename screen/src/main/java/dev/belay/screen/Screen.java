package dev.belay.screen;

import java.util.Objects;
import java.util.Optional;

/// A terminal emulator without a terminal: fed with a program's output, it knows what a person would see.
///
/// The result does not depend on how the bytes are cut. Not safe for use by several threads at once.
public final class Screen {
    final Terminal terminal;

    /// A blank screen at offset 0.
    ///
    /// @param cols   from 2 to 1000; other numbers are brought into this range
    /// @param rows   from 1 to 1000; other numbers are brought into this range
    /// @param limits what it holds at most
    public Screen(int cols, int rows, ScreenLimits limits) {
        this(new Terminal(ScreenLimits.cols(cols), ScreenLimits.rows(rows), limits));
    }

    private Screen(Terminal terminal) {
        this.terminal = terminal;
    }

    /// The screen that a checkpoint was made of.
    public static Screen at(Checkpoint checkpoint) {
        return at(checkpoint, 0);
    }

    /// The same, which keeps at least a number of rows above the screen from now on. It has no more of them yet.
    public static Screen at(Checkpoint checkpoint, int keptRows) {
        return new Screen(Folding.unfold(checkpoint, keptRows));
    }

    /// The whole state of this screen, folded.
    public Checkpoint checkpoint() {
        return Folding.fold(terminal);
    }

    /// Takes the next bytes of the output.
    public void feed(byte[] bytes, int from, int to) {
        Objects.checkFromToIndex(from, to, bytes.length);
        terminal.feed(bytes, from, to);
    }

    /// Takes all of these bytes.
    public void feed(byte[] bytes) {
        feed(bytes, 0, bytes.length);
    }

    /// The terminal has another size. Lines are wrapped again; the alternate screen is cropped.
    public void resize(int cols, int rows) {
        terminal.resize(ScreenLimits.cols(cols), ScreenLimits.rows(rows));
    }

    /// A gap: the bytes up to an offset are lost. Rows that were not written or erased since are uncertain.
    public void skip(long toOffset) {
        if (toOffset < offset()) {
            throw new IllegalArgumentException(
                    "The screen is at " + offset() + " already, it cannot skip to " + toOffset);
        }
        terminal.skip(toOffset);
    }

    /// Whether what is printed from here on is private.
    public void veil(boolean on) {
        terminal.veil(on);
    }

    /// The offset after the last byte fed.
    public long offset() {
        return terminal.at;
    }

    /// How many columns there are.
    public int cols() {
        return terminal.grid.cols;
    }

    /// How many rows.
    public int rows() {
        return terminal.grid.rows;
    }

    /// How many rows it has above the main screen.
    public int above() {
        return terminal.main.above;
    }

    /// What is shown, with up to a number of rows above it.
    public Snapshot snapshot(Sight sight, int history) {
        return new Views(terminal, sight).snapshot(history);
    }

    /// Bytes that bring a terminal of this size, just reset, to this state, with up to a number of rows above the
    /// screen.
    public byte[] repaint(Sight sight, int history) {
        return new Painter(terminal, sight).paint(history);
    }

    /// Where output continues after a [#picture]: where an incomplete sequence that may ask something begins, or an
    /// incomplete character; else [#offset]. What lies before it is drawn.
    public long pending(Sight sight) {
        return new Painter(terminal, sight).pending();
    }

    /// As [#repaint], without what lies after [#pending].
    public byte[] picture(Sight sight, int history) {
        return new Painter(terminal, sight).picture(history);
    }

    /// The answer to a question, with the state after the question's last byte. Empty if it gets no answer.
    public Optional<byte[]> answer(Query query, Colours colours) {
        return new TerminalReplies(terminal, colours).to(query);
    }

    /// About how much memory it takes.
    public long heldBytes() {
        return terminal.heldBytes();
    }
}
