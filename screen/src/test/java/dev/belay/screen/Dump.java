package dev.belay.screen;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// The whole state of a screen as one line, in the words of `src/test/xterm/oracle.js`.
final class Dump {
    private final Terminal terminal;

    private Dump(Terminal terminal) {
        this.terminal = terminal;
    }

    static String of(Screen screen) {
        return new Dump(screen.terminal).all();
    }

    private String all() {
        Grid grid = terminal.grid;
        Switches s = terminal.switches;
        Pen pen = terminal.pen;
        StringBuilder sets = new StringBuilder();
        for (Charset set : terminal.charsets) {
            sets.append(set.designator);
        }
        return grid.cols + "x" + grid.rows + " cursor=" + grid.x + "," + grid.y + " "
                + (grid == terminal.alternate ? "alternate" : "main") + " shape=" + s.cursorShape + " modes=" + modes()
                + " mouse="
                + s.mouse + "," + s.mouseEncoding + " charset=" + terminal.charset.designator + ","
                + terminal.charsetLevel + ","
                + sets + " pen=" + hex(pen.fg) + "," + hex(pen.bg & ~Pen.PROTECTED) + "," + hex(under(pen.under)) + ","
                + link(pen.link) + "," + ((pen.bg & Pen.PROTECTED) != 0 ? "p" : "") + " title="
                + HexFormat.of().formatHex(terminal.title.getBytes(StandardCharsets.UTF_8)) + " main: "
                + grid(terminal.main)
                + " alternate: " + grid(terminal.alternate);
    }

    private String modes() {
        Switches s = terminal.switches;
        List<String> on = new ArrayList<>();
        boolean[] values = {s.insert, s.newLine, s.cursorKeys, s.keypad, s.origin, s.wrap, s.reverseWrap, s.focus,
                s.bracketedPaste,
                s.synchronizedUpdate, s.cursorHidden, s.cursorBlink};
        String[] names =
                {"insert", "newLine", "cursorKeys", "keypad", "origin", "wrap", "reverseWrap", "focus", "paste", "sync",
                        "hidden", "blink"};
        for (int i = 0; i < values.length; i++) {
            if (values[i]) {
                on.add(names[i]);
            }
        }
        return String.join(",", on);
    }

    private String grid(Grid grid) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < grid.size(); i++) {
            lines.add(line(grid.line(i)));
        }
        Pen saved = grid.savedPen;
        return "above=" + grid.above + " margins=" + grid.top + "-" + grid.bottom + " tabs="
                + grid.tabs.stream().mapToObj(Integer::toString).collect(Collectors.joining(",")) + " saved="
                + Math.min(grid.savedX, grid.cols - 1) + "," + Math.clamp(grid.savedY, 0, grid.rows - 1) + ","
                + hex(saved.fg) + ","
                + hex(saved.bg & ~Pen.PROTECTED) + "," + hex(under(saved.under)) + ","
                + ((saved.bg & Pen.PROTECTED) != 0 ? "p" : "") + "," + grid.savedCharset.designator + " ["
                + String.join("|", lines) + "]";
    }

    private String line(Line line) {
        List<String> runs = new ArrayList<>();
        String last = "";
        int count = 0;
        for (long cell : line.cells) {
            String next = cell(cell);
            if (!next.equals(last) && count > 0) {
                runs.add(last + "x" + count);
                count = 0;
            }
            last = next;
            count++;
        }
        runs.add(last + "x" + count);
        return (line.wrapped ? "+" : "-") + String.join(" ", runs);
    }

    private String cell(long cell) {
        String codes = terminal.text(cell).codePoints().mapToObj(Integer::toHexString).collect(Collectors.joining("."));
        int style = Cell.style(cell);
        return codes + "/" + Cell.width(cell) + "/" + hex(terminal.styles.fg(style)) + ","
                + hex(terminal.styles.bg(style)) + ","
                + hex(under(terminal.styles.under(style))) + "," + link(terminal.styles.link(style)) + ","
                + (Cell.isProtected(cell) ? "p" : "");
    }

    /// White is what xterm.js makes of SGR 59.
    private static int under(int under) {
        if (under >>> Pen.UNDERLINE_SHIFT == 0) {
            return 0;
        }
        return (under & Pen.COLOUR) == Pen.COLOUR ? under & ~Pen.COLOUR : under;
    }

    private String link(int number) {
        Link link = number == 0 ? null : terminal.links.get(number);
        return link == null ? "" : link.target();
    }

    private static String hex(int word) {
        return Integer.toHexString(word).toLowerCase(Locale.ROOT);
    }
}
