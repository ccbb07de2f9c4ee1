package dev.belay.screen;

import java.util.BitSet;

/// The state of a terminal, and the part of it that prints: runs of ASCII in one loop, sequences that are whole in
/// place.
abstract class Printer extends Parser {
    final Grid main;
    final Grid alternate;
    /// The screen that is shown: one of the two.
    Grid grid;
    final Switches switches = new Switches();
    final Pen pen = new Pen();
    final Styles styles = new Styles();
    final Interned<String> clusters = new Interned<>(Cell.INDEX);
    final Interned<Link> links;
    final Charset[] charsets = {Charset.ASCII, Charset.ASCII, Charset.ASCII, Charset.ASCII};
    int charsetLevel;
    /// The set in use. After DECRC it may be another than the level's.
    Charset charset = Charset.ASCII;
    /// The width of the character that a mark would join; 0 if there is none, -1 if it did not fit and was dropped.
    int joinWidth;

    /// A cell in the pen's style without a character; -1 if the pen has changed.
    private long ink = -1;
    private long erased = -1;

    Printer(int cols, int rows, ScreenLimits limits) {
        super(limits);
        main = new Grid(cols, rows, true, limits.keptRows());
        alternate = new Grid(cols, rows, false, 0);
        grid = main;
        links = new Interned<>(limits.links());
    }

    @Override
    final int ground(byte[] bytes, int from, int to) {
        int next = from;
        while (next < to) {
            int code = bytes[next];
            if (code < 0 || (code >= 0x20 && code != 0x7f)) {
                int end = plain() ? text(bytes, next, to) : next;
                if (end == next) {
                    end = single(bytes, next, to);
                }
                if (end == next) {
                    return next;
                }
                next = end;
            } else if (code == 0x1b) {
                int end = sequence(bytes, next, to);
                if (end < 0) {
                    return next;
                }
                next = end;
            } else {
                at = shift + ++next;
                if (code != 0x7f) {
                    execute(code);
                }
            }
        }
        return next;
    }

    /// Do characters go into cells as they are?
    private boolean plain() {
        return !switches.insert && charset == Charset.ASCII;
    }

    /// A control sequence that is whole in the chunk and has nothing unusual in it. Gives its end, or -1.
    private int sequence(byte[] bytes, int from, int to) {
        if (to - from < 3 || bytes[from + 1] != '[') {
            return -1;
        }
        params.clear();
        function = 0;
        int next = from + 2;
        int code = bytes[next];
        if (code >= 0x3c && code <= 0x3f) {
            function = code;
            next++;
        }
        if ((code >= 0x30 && code <= 0x3b) || function != 0) {
            next = params.takeAll(bytes, next, to);
        }
        while (next < to && (code = bytes[next]) >= 0x20 && code <= 0x2f) {
            function = function << 8 | code;
            next++;
        }
        if (next == to || code < 0x40 || code == 0x7f) {
            return -1;
        }
        function = function << 8 | code;
        at = shift + ++next;
        control();
        return next;
    }

    /// The character of several bytes that begins at an index, and above it how many they are: `code | length << 24`. 0
    /// if they are not all there, not right, or a control.
    private static int decode(byte[] bytes, int from, int to) {
        int lead = bytes[from];
        int second = from + 1 < to ? bytes[from + 1] : 0;
        if (second >= -64) {
            return 0;
        }
        if (lead < -32) {
            int code = (lead & 0x1f) << 6 | (second & 0x3f);
            return lead >= -64 && code >= 0xa0 ? code | 2 << 24 : 0;
        }
        int third = from + 2 < to ? bytes[from + 2] : 0;
        if (third >= -64) {
            return 0;
        }
        if (lead < -16) {
            int code = (lead & 0x0f) << 12 | (second & 0x3f) << 6 | (third & 0x3f);
            return isCharacter(code, 0x800) ? code | 3 << 24 : 0;
        }
        int fourth = from + 3 < to ? bytes[from + 3] : 0;
        if (fourth >= -64 || lead >= -8) {
            return 0;
        }
        int code = (lead & 0x07) << 18 | (second & 0x3f) << 12 | (third & 0x3f) << 6 | (fourth & 0x3f);
        return isCharacter(code, 0x10000) ? code | 4 << 24 : 0;
    }

    /// Prints what is text. Gives the index of the first byte that is none, or `from` if that cannot be done here.
    private int text(byte[] bytes, int from, int to) {
        Grid g = grid;
        int next = from;
        long ink = ink();
        long narrow = ink | Cell.NARROW;
        while (next < to) {
            int first = bytes[next];
            if ((first < 0x20 && first >= 0) || first == 0x7f) {
                break;
            }
            if (g.x >= g.cols) {
                int decoded = first >= 0 ? first | 1 << 24 : decode(bytes, next, to);
                if (!switches.wrap || Widths.of(decoded & 0xff_ffff) == 0) {
                    break;
                }
                at = shift + next + (decoded >> 24);
                wrap(g.row(g.y), g.cols, 0);
            }
            Line line = g.row(g.y);
            long[] cells = line.cells;
            int x = g.x;
            int start = next;
            int stop = Math.min(to, next + cells.length - x);
            int code;
            while (next < stop && (code = bytes[next]) >= 0x20 && code != 0x7f) {
                cells[x++] = narrow | code;
                next++;
            }
            if (next > start) {
                joinWidth = 1;
            }
            while (next < to && bytes[next] < 0) {
                int decoded = decode(bytes, next, to);
                int width = Widths.of(decoded & 0xff_ffff);
                if (width == 0 || x + width > cells.length) {
                    break;
                }
                cells[x++] = ink | (decoded & 0xff_ffff) | (long) width << Cell.WIDTH_SHIFT;
                if (width == 2) {
                    cells[x++] = ink;
                }
                joinWidth = width;
                next += decoded >> 24;
            }
            if (next == start) {
                break;
            }
            line.unpairBefore(g.x, blankInk());
            if (x < cells.length && Cell.isTail(cells[x])) {
                cells[x] = blankInk();
            }
            line.wrote(g.x, x, shift + start, shift + next);
            g.x = x;
        }
        return next;
    }

    /// One character that [#text] left: a mark, one that does not fit, or in a mode that shifts or maps. Gives the
    /// index after it, or `from` if it is not whole.
    private int single(byte[] bytes, int from, int to) {
        int decoded = bytes[from] >= 0 ? bytes[from] | 1 << 24 : decode(bytes, from, to);
        int length = decoded >> 24;
        if (length > 0) {
            at = shift + from + length;
            put(decoded & 0xff_ffff, at - length, false);
        }
        return from + length;
    }

    @Override
    final void print(int code) {
        put(code, heldFrom, tainted);
    }

    /// Prints one character whose first byte stands at an offset.
    final void put(int plain, long start, boolean secret) {
        int code = plain < 0x7f ? charset.map(plain) : plain;
        int width = Widths.of(code);
        Grid g = grid;
        Line line = g.row(g.y);
        if (width == 0 && joinWidth != 0) {
            if (joinWidth > 0) {
                join(line, code, start, secret);
            }
            return;
        }
        joinWidth = width;
        line.unpairBefore(Math.min(g.x, g.cols), blankInk());
        if (g.x + width > g.cols) {
            if (switches.wrap) {
                line = wrap(line, g.x, width);
            } else {
                g.x = g.cols - 1;
                // the last column is written, or at least no longer the second half of anything
                if (Cell.isTail(line.cells[g.x])) {
                    line.cells[g.x] = blankInk();
                    line.blankIfWide(g.x - 1);
                }
                if (width == 2) {
                    joinWidth = -1;
                    line.changed = at;
                    return;
                }
            }
        }
        if (g.x >= g.cols) {
            // a mark alone, where there is no cell left for it
            return;
        }
        if (switches.insert) {
            line.insert(g.x, width, blankInk());
        }
        long cell = ink() | (secret ? Cell.PRIVATE : 0);
        int from = g.x;
        line.cells[g.x++] = cell | code | (long) width << Cell.WIDTH_SHIFT;
        if (width == 2) {
            line.cells[g.x++] = cell;
        }
        if (g.x < g.cols && Cell.isTail(line.cells[g.x])) {
            line.cells[g.x] = blankInk();
        }
        line.wrote(from, g.x, start, at);
    }

    /// Adds a mark to the character before the cursor.
    private void join(Line line, int code, long start, boolean secret) {
        int x = grid.x - 1;
        if (x > 0 && x < grid.cols && line.width(x) == 0) {
            x--;
        }
        if (x < 0 || x >= grid.cols) {
            return;
        }
        long cell = line.cells[x];
        int old = Cell.code(cell);
        long joined;
        if (old == 0) {
            joined = code;
        } else {
            String before = Cell.isCluster(cell) ? text(cell) : Character.toString(old);
            if (before.codePointCount(0, before.length()) >= limits.cellCodes()) {
                return;
            }
            int number = clusters.number(before + Character.toString(code));
            joined = number == 0 ? old : Cell.CLUSTER | number;
        }
        boolean hide = secret || veiled();
        line.cells[x] = (cell & ~(Cell.CODE | Cell.WIDTH)) | joined | (long) joinWidth << Cell.WIDTH_SHIFT
                | (hide ? Cell.PRIVATE : 0);
        line.wrote(x, x, start, at);
        if (clusters.wantsSweep()) {
            sweep();
        }
    }

    /// What a cell shows, or an empty string.
    final String text(long cell) {
        int code = Cell.code(cell);
        if (code == 0) {
            return "";
        }
        if (Cell.isCluster(cell)) {
            String cluster = clusters.get(code & Cell.INDEX);
            return cluster == null ? "" : cluster;
        }
        return Character.toString(code);
    }

    /// Goes to the next row, which from then on continues this one. Gives that row.
    private Line wrap(Line line, int column, int width) {
        Grid g = grid;
        g.x = 0;
        g.y++;
        if (g.y == g.bottom + 1) {
            g.y--;
            scroll(true);
        } else {
            g.y = Math.min(g.y, g.rows - 1);
            g.row(g.y).wrapped = true;
        }
        if (column < g.cols && width == 2) {
            for (int x = column; x < g.cols; x++) {
                line.cells[x] = blankInk();
            }
            line.changed = at;
        }
        return g.row(g.y);
    }

    final void scroll(boolean wraps) {
        grid.scroll(erased(), wraps, at);
    }

    /// The pen has another style from now on.
    final void penChanged() {
        ink = -1;
        erased = -1;
    }

    /// A cell of the pen's style, without character and width.
    final long ink() {
        long cell = ink;
        if (cell < 0) {
            if (styles.wantsSweep()) {
                sweep();
            }
            long style = styles.number(pen.fg, pen.bg & ~Pen.PROTECTED, pen.under, pen.link);
            cell = style << Cell.STYLE_SHIFT;
            if ((pen.bg & Pen.PROTECTED) != 0) {
                cell |= Cell.PROTECTED;
            }
            if (veiled()) {
                cell |= Cell.PRIVATE;
            }
            ink = cell;
        }
        return cell;
    }

    final long blankInk() {
        return (ink() & ~Cell.PRIVATE) | Cell.NARROW;
    }

    /// What erasing leaves: a blank with the pen's background.
    final long erased() {
        if (erased < 0) {
            int bg = pen.bg & Pen.COLOUR;
            erased = bg == 0 ? Cell.BLANK : (long) styles.number(0, bg, 0, 0) << Cell.STYLE_SHIFT | Cell.BLANK;
        }
        return erased;
    }

    /// Forgets styles, clusters and links that nothing on either screen has.
    final void sweep() {
        long[] seenStyles = new long[Styles.MOST >> 6];
        BitSet seenClusters = new BitSet();
        note(main, seenStyles, seenClusters);
        note(alternate, seenStyles, seenClusters);
        BitSet seenLinks = new BitSet();
        seenLinks.set(pen.link);
        if (links.size() > 0) {
            BitSet.valueOf(seenStyles).stream().forEach(style -> seenLinks.set(styles.link(style)));
        }
        styles.sweep(seenStyles);
        clusters.sweep(seenClusters);
        links.sweep(seenLinks);
        penChanged();
    }

    private static void note(Grid grid, long[] styles, BitSet clusters) {
        for (int i = 0; i < grid.size(); i++) {
            for (long cell : grid.line(i).cells) {
                int style = Cell.style(cell);
                styles[style >> 6] |= 1L << style;
                if (Cell.isCluster(cell)) {
                    clusters.set((int) cell & Cell.INDEX);
                }
            }
        }
    }
}
