package dev.belay.screen;

import java.util.List;

/// A question that a program asks its terminal.
///
/// @param kind    what is asked
/// @param numbers the sequence's parameters
/// @param text    what a string asks for: the rest of an OSC, a DECRQSS's setting
/// @param from    the offset of its first byte
/// @param to      the offset after its last byte
public record Query(Kind kind, List<Integer> numbers, String text, long from, long to) {
    /// Copies the numbers.
    public Query {
        numbers = List.copyOf(numbers);
    }

    /// What may be asked. What is masked has no answer here, and should not reach a terminal that would give one.
    public enum Kind {
        /// `CSI c`: what kind of terminal is this?
        DEVICE,
        /// `CSI > c`: which version of it?
        DEVICE_VERSION,
        /// `CSI 5 n`, `CSI 6 n`: is it well, where is the cursor?
        STATUS,
        /// `CSI ? 6 n` and the like.
        DEC_STATUS,
        /// `CSI $ p`: is a mode set?
        MODE,
        /// `CSI ? $ p`: is a DEC mode set?
        DEC_MODE,
        /// `CSI 18 t` and other reports on the window.
        WINDOW,
        /// `CSI > q`: the terminal's name.
        NAME,
        /// `DCS $ q`: a setting.
        SETTING,
        /// OSC 4: one of 256 colours.
        PALETTE,
        /// OSC 10 to 12: the text's, the background's or the cursor's colour; `numbers` has the OSC's number.
        COLOUR,
        /// Titles, the clipboard, terminfo, ENQ, checksums, kitty's protocols: masked.
        MASKED
    }
}
