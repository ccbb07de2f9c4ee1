package dev.belay.screen;

/// Something other than drawing that a stream tells its terminal.
public sealed interface Told {
    /// The offset after its last byte.
    long to();

    /// OSC 0 or 2.
    ///
    /// @param text without control characters, cut at the limit
    record Title(String text, long to) implements Told {}

    /// A mode was set or reset.
    ///
    /// @param dec    of `CSI ?`, not of `CSI`
    /// @param number the mode
    record Mode(boolean dec, int number, boolean on, long to) implements Told {}

    /// OSC 7, 133 or 633: a shell's marks.
    ///
    /// @param osc  the number
    /// @param text all after its semicolon
    record Mark(int osc, String text, long from, long to) implements Told {}
}
