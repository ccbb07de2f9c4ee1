package dev.belay.screen;

/// Does what controls and sequences say.
final class Terminal extends Editor {
    private static final int DEC = '?' << 8;
    private static final int SPACE = ' ' << 8;
    private static final int QUOTE = '\'' << 8;
    private static final int DOUBLE_QUOTE = '"' << 8;
    private static final int DESIGNATES = 0x28;

    final Palette palette = new Palette();
    String title = "";
    boolean titlePrivate;

    Terminal(int cols, int rows, ScreenLimits limits) {
        super(cols, rows, limits);
    }

    void feed(byte[] bytes, int from, int to) {
        feedAll(bytes, from, to);
    }

    void veil(boolean on) {
        if (on != veiled()) {
            setVeiled(on);
            penChanged();
        }
    }

    void resize(int cols, int rows) {
        if (cols != main.cols || rows != main.rows) {
            Reflow.resize(main, cols, rows, at);
            Reflow.resize(alternate, cols, rows, at);
            joinWidth = 0;
        }
    }

    void skip(long to) {
        if (to > at) {
            abandon();
            joinWidth = 0;
            at = to;
            for (Grid each : new Grid[] {main, alternate}) {
                for (int i = 0; i < each.size(); i++) {
                    each.line(i).doubt();
                }
            }
        }
    }

    long heldBytes() {
        return main.heldBytes() + alternate.heldBytes() + 32L * styles.alive()
                + 128L * (clusters.size() + links.size());
    }

    @Override
    void execute(int control) {
        switch (control) {
            case 0x08 -> backspace();
            case 0x09 -> tabs(1, true);
            case 0x0a, 0x0b, 0x0c -> lineFeed();
            case 0x0d -> grid.x = 0;
            case 0x0e -> level(1);
            case 0x0f -> level(0);
            case 0x84 -> index();
            case 0x85 -> nextLine();
            case 0x88 -> setTab();
            default -> {
            }
        }
        joinWidth = 0;
    }

    private void nextLine() {
        grid.x = 0;
        index();
    }

    @Override
    void escape() {
        switch (function) {
            case '7' -> saveCursor();
            case '8' -> restoreCursor();
            case 'D' -> index();
            case 'E' -> nextLine();
            case 'H' -> setTab();
            case 'M' -> reverseIndex();
            case '=' -> switches.keypad = true;
            case '>' -> switches.keypad = false;
            case 'c' -> reset();
            case 'n', '}' -> level(2);
            case 'o', '|' -> level(3);
            case '~' -> level(1);
            case '#' << 8 | '8' -> align();
            case '%' << 8 | '@', '%' << 8 | 'G' -> {
                level(0);
                designate(0, Charset.ASCII);
            }
            default -> designate();
        }
        joinWidth = 0;
    }

    private void level(int level) {
        charsetLevel = level;
        charset = charsets[level];
    }

    private void designate(int level, Charset set) {
        charsets[level] = set;
        if (charsetLevel == level) {
            charset = set;
        }
    }

    /// `ESC ( 0` and its like. National sets are ASCII here.
    private void designate() {
        int level = switch (function >> 8) {
            case DESIGNATES -> 0;
            case DESIGNATES + 1, '-' -> 1;
            case DESIGNATES + 2, '.' -> 2;
            case DESIGNATES + 3 -> 3;
            default -> -1;
        };
        int set = function & 0xff;
        if (level >= 0 && "0AB4C5RQKYE6ZH7=".indexOf(set) >= 0) {
            designate(level, set == '0' ? Charset.GRAPHICS : set == 'A' ? Charset.UK : Charset.ASCII);
        }
    }

    @Override
    void control() {
        if (function == 'm') {
            pen.select(params);
            penChanged();
            joinWidth = 0;
            return;
        }
        int times = params.times();
        switch (function) {
            case 'H', 'f' -> place(Math.max(1, params.get(1, 1)) - 1, times - 1);
            case 'K' -> eraseLine(params.get(0), false);
            case 'C', 'a' -> forward(times);
            case 'A' -> up(times);
            case 'B' -> downInMargins(times);
            case 'D' -> forward(-times);
            case 'G', '`' -> column(times);
            case 'd' -> place(grid.x, times - 1);
            case 'J' -> eraseDisplay(params.get(0), false);
            case 'X' -> eraseCharacters(times);
            case '@' -> insertCharacters(times);
            case 'P' -> deleteCharacters(times);
            case 'L' -> insertLines(times);
            case 'M' -> deleteLines(times);
            case 'r' -> margins(params.get(0), params.get(1, 0));
            case 'E' -> {
                downInMargins(times);
                grid.x = 0;
            }
            case 'F' -> {
                up(times);
                grid.x = 0;
            }
            case 'e' -> down(times);
            case 'b' -> repeat(times);
            case 'S' -> scrollUp(times);
            case 'T' -> scrollDown(times);
            case 'I' -> tabs(times, true);
            case 'Z' -> tabs(times, false);
            case 'g' -> clearTabs(params.get(0));
            case 's' -> saveCursor();
            case 'u' -> restoreCursor();
            case 'h' -> setModes(true);
            case 'l' -> setModes(false);
            case DEC | 'h' -> setPrivateModes(true);
            case DEC | 'l' -> setPrivateModes(false);
            case DEC | 'J' -> eraseDisplay(params.get(0), true);
            case DEC | 'K' -> eraseLine(params.get(0), true);
            case SPACE | '@' -> shift(0, times, false);
            case SPACE | 'A' -> shift(0, times, true);
            case SPACE | 'q' -> switches.cursorShape = params.get(0) > 6 ? switches.cursorShape : params.get(0);
            case QUOTE | '}' -> shift(grid.x, times, true);
            case QUOTE | '~' -> shift(grid.x, times, false);
            case DOUBLE_QUOTE | 'q' -> protect(params.get(0));
            case '!' << 8 | 'p' -> softReset();
            default -> {
            }
        }
        joinWidth = 0;
    }

    /// In origin mode the row counts from the upper margin once more, as in xterm.js.
    private void column(int column) {
        place(column - 1, grid.y);
    }

    private void protect(int which) {
        if (which == 1) {
            pen.bg |= Pen.PROTECTED;
        } else if (which == 0 || which == 2) {
            pen.bg &= ~Pen.PROTECTED;
        }
        penChanged();
    }

    private void setModes(boolean on) {
        for (int i = 0; i < params.count; i++) {
            switch (params.get(i)) {
                case 4 -> switches.insert = on;
                case 20 -> switches.newLine = on;
                default -> {
                }
            }
        }
    }

    private void setPrivateModes(boolean on) {
        for (int i = 0; i < params.count; i++) {
            int mode = params.get(i);
            switch (mode) {
                case 2 -> {
                    for (int level = 0; on && level < charsets.length; level++) {
                        designate(level, Charset.ASCII);
                    }
                }
                case 6 -> {
                    switches.origin = on;
                    place(0, 0);
                }
                case 47, 1047 -> show(on);
                case 1048 -> {
                    if (on) {
                        saveCursor();
                    } else {
                        restoreCursor();
                    }
                }
                case 1049 -> {
                    if (on) {
                        saveCursor();
                        show(true);
                    } else {
                        show(false);
                        restoreCursor();
                    }
                }
                default -> switches.setPrivate(mode, on);
            }
        }
    }

    /// Shows the alternate screen, blank, or the main one again. The cursor stays where it is.
    private void show(boolean other) {
        Grid shown = other ? alternate : main;
        if (grid == shown) {
            return;
        }
        int x = grid.x;
        int y = grid.y;
        if (other) {
            alternate.fill(erased(), at);
        } else {
            alternate.clear();
        }
        grid = shown;
        grid.x = x;
        grid.y = y;
        grid.touch(0, grid.rows - 1, at);
    }

    private void softReset() {
        switches.softReset();
        grid.top = 0;
        grid.bottom = grid.rows - 1;
        pen.clear();
        penChanged();
        resetCharsets();
        grid.savedX = 0;
        grid.savedY = 0;
        grid.savedPen.clear();
        grid.savedCharset = Charset.ASCII;
    }

    private void resetCharsets() {
        java.util.Arrays.fill(charsets, Charset.ASCII);
        level(0);
    }

    /// RIS. The title stays.
    private void reset() {
        switches.reset();
        pen.clear();
        penChanged();
        resetCharsets();
        palette.reset();
        for (Grid each : new Grid[] {main, alternate}) {
            each.clear();
            each.savedX = 0;
            each.savedY = 0;
            each.savedPen.clear();
            each.savedCharset = Charset.ASCII;
        }
        main.fill(Cell.BLANK, at);
        grid = main;
    }

    @Override
    void string(int kind, boolean cancelled) {
        if (kind == ']' && !cancelled && !overlong()) {
            command(payload());
        }
        if (kind == ']' || kind == 'P' || cancelled) {
            joinWidth = 0;
        }
    }

    private void command(String payload) {
        int end = payload.indexOf(';');
        String number = end < 0 ? payload : payload.substring(0, end);
        String rest = end < 0 ? "" : payload.substring(end + 1);
        switch (number) {
            case "0", "2" -> {
                title = Titles.clean(rest, limits.titleLength());
                titlePrivate = tainted;
            }
            case "8" -> link(rest);
            default -> palette.command(number, rest);
        }
    }

    private void link(String said) {
        int end = said.indexOf(';');
        if (end < 0) {
            return;
        }
        String target = said.substring(end + 1);
        String words = said.substring(0, end).strip();
        if (target.isEmpty() && !words.isEmpty()) {
            return;
        }
        pen.link = 0;
        if (!target.isEmpty() && target.length() <= limits.linkBytes()) {
            String id = "";
            for (String word : words.split(":", -1)) {
                if (word.startsWith("id=") && id.isEmpty()) {
                    id = Titles.clean(word.substring(3), limits.titleLength());
                }
            }
            Link link = new Link(id, Titles.clean(target, limits.linkBytes()), tainted);
            if (links.wantsSweep()) {
                sweep();
            }
            pen.link = links.number(link);
        }
        penChanged();
    }
}
