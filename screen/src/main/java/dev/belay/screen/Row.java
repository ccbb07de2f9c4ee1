package dev.belay.screen;

import java.util.List;

/// One row of a screen.
///
/// @param number  counts rows from the beginning: a row that scrolls keeps its number
/// @param text    without the blanks at its end, unless they have a style
/// @param spans   the parts that are not plain, in order
/// @param wrapped does it continue the row above?
/// @param began   the offset of the first byte printed on it; `changed` if there is none
/// @param changed the offset after the byte that changed it last
/// @param certain false if it may have been changed by output that was lost in a gap
public record Row(long number, String text, List<Span> spans, boolean wrapped, long began, long changed,
        boolean certain) {
    /// Copies the spans.
    public Row {
        spans = List.copyOf(spans);
    }
}
