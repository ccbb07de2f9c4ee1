package dev.belay.screen;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// The bytes of a repaint, and the style that the terminal's pen has after them.
final class Ink {
    private static final String CSI = "\033[";

    private final Terminal terminal;
    private final Views views;
    private final StringBuilder out = new StringBuilder();
    private int fg;
    private int bg;
    private int under;
    private @Nullable Link link;

    Ink(Terminal terminal, Views views) {
        this.terminal = terminal;
        this.views = views;
    }

    Ink raw(String text) {
        out.append(text);
        return this;
    }

    Ink csi(String sequence) {
        out.append(CSI).append(sequence);
        return this;
    }

    Ink place(int x, int y) {
        return csi(x == 0 ? y == 0 ? "H" : y + 1 + "H" : y + 1 + ";" + (x + 1) + "H");
    }

    /// Sets the pen to a cell's style.
    Ink style(long cell) {
        int number = Cell.style(cell);
        Styles styles = terminal.styles;
        int protect = Cell.isProtected(cell) ? Pen.PROTECTED : 0;
        return pen(styles.fg(number), styles.bg(number) | protect, styles.under(number), views.link(number));
    }

    Ink plain() {
        return pen(0, 0, 0, null);
    }

    Ink pen(int newFg, int newBg, int newUnder, @Nullable Link newLink) {
        if (fg != newFg || bg != newBg || under != newUnder) {
            fg = newFg;
            bg = newBg;
            under = newUnder;
            String parameters = Sgr.parameters(fg, bg, under);
            csi(parameters.equals("0") ? "m" : parameters + "m");
            if ((bg & Pen.PROTECTED) != 0) {
                csi("1\"q");
            }
        }
        if (!java.util.Objects.equals(link, newLink)) {
            link = newLink;
            String words = link == null || link.id().isEmpty() ? "" : "id=" + link.id();
            raw("\033]8;" + words + ";" + (link == null ? "" : link.target()) + "\033\\");
        }
        return this;
    }

    /// The terminal's pen is as after a reset again, except its link.
    Ink restored() {
        fg = -1;
        return this;
    }

    byte[] bytes() {
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }
}
