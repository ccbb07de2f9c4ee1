package dev.belay.screen;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/// Writes all of a terminal's state and reads it back: both screens, the rows kept, saved cursors, private cells, and
/// the bytes of a sequence that is not complete.
final class Folding {
    private Folding() {}

    static Checkpoint fold(Terminal terminal) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
        Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
        try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(bytes, deflater))) {
            new Writer(terminal, out).write();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            deflater.end();
        }
        return new Checkpoint(terminal.at, bytes.toByteArray());
    }

    /// @param keptRows how many rows to keep above the screen at least
    static Terminal unfold(Checkpoint checkpoint, int keptRows) {
        Inflater inflater = new Inflater(true);
        try (DataInputStream in = new DataInputStream(
                new InflaterInputStream(new ByteArrayInputStream(checkpoint.bytes()), inflater))) {
            return new Reader(in).read(keptRows);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            inflater.end();
        }
    }

    private static final class Writer {
        private final Terminal terminal;
        private final DataOutputStream out;
        private final Map<String, Integer> clusters = new HashMap<>();

        Writer(Terminal terminal, DataOutputStream out) {
            this.terminal = terminal;
            this.out = out;
        }

        void write() throws IOException {
            ScreenLimits limits = terminal.limits;
            for (int limit : new int[] {limits.keptRows(), limits.oscBytes(), limits.titleLength(), limits.linkBytes(),
                    limits.links(),
                    limits.cellCodes(), limits.stringBytes(), terminal.main.cols, terminal.main.rows}) {
                out.writeInt(limit);
            }
            out.writeLong(terminal.at);
            styles();
            modes();
            grid(terminal.main);
            grid(terminal.alternate);
            pen(terminal.pen);
            out.writeUTF(terminal.title);
            out.writeBoolean(terminal.titlePrivate);
            out.writeInt(terminal.palette.set.size());
            for (Map.Entry<Integer, Integer> colour : terminal.palette.set.entrySet()) {
                out.writeInt(colour.getKey());
                out.writeInt(colour.getValue());
            }
            byte[] held = terminal.held();
            out.writeInt(held.length);
            out.write(held);
            out.writeLong(terminal.heldFrom);
            out.writeLong(terminal.stringLength());
            out.writeBoolean(terminal.tainted);
        }

        /// The styles that cells have, and the links of these and of the pen, by their numbers.
        private void styles() throws IOException {
            terminal.sweep();
            BitSet numbers = new BitSet();
            BitSet links = new BitSet();
            for (Grid grid : new Grid[] {terminal.main, terminal.alternate}) {
                for (int i = 0; i < grid.size(); i++) {
                    for (long cell : grid.line(i).cells) {
                        numbers.set(Cell.style(cell));
                    }
                }
            }
            numbers.clear(0);
            out.writeInt(numbers.cardinality());
            for (int number = numbers.nextSetBit(0); number >= 0; number = numbers.nextSetBit(number + 1)) {
                out.writeInt(number);
                out.writeInt(terminal.styles.fg(number));
                out.writeInt(terminal.styles.bg(number));
                out.writeInt(terminal.styles.under(number));
                out.writeInt(terminal.styles.link(number));
                links.set(terminal.styles.link(number));
            }
            links.set(terminal.pen.link);
            links.clear(0);
            out.writeInt(links.cardinality());
            for (int number = links.nextSetBit(0); number >= 0; number = links.nextSetBit(number + 1)) {
                Link link = Objects.requireNonNull(terminal.links.get(number));
                out.writeInt(number);
                out.writeUTF(link.id());
                out.writeUTF(link.target());
                out.writeBoolean(link.isPrivate());
            }
        }

        private void modes() throws IOException {
            Switches s = terminal.switches;
            for (boolean on : new boolean[] {s.insert, s.newLine, s.cursorKeys, s.keypad, s.origin, s.wrap,
                    s.reverseWrap, s.focus,
                    s.bracketedPaste, s.synchronizedUpdate, s.cursorHidden, s.cursorBlink,
                    terminal.grid == terminal.alternate,
                    terminal.veiled()}) {
                out.writeBoolean(on);
            }
            out.writeByte(s.cursorShape);
            out.writeUTF(s.mouse.name());
            out.writeUTF(s.mouseEncoding.name());
            for (Charset set : terminal.charsets) {
                out.writeUTF(set.name());
            }
            out.writeByte(terminal.charsetLevel);
            out.writeUTF(terminal.charset.name());
            out.writeByte(terminal.joinWidth);
        }

        private void grid(Grid grid) throws IOException {
            for (int number : new int[] {grid.above, grid.x, grid.y, grid.top, grid.bottom, grid.savedX, grid.savedY,
                    grid.size()}) {
                out.writeInt(number);
            }
            out.writeLong(grid.first);
            out.writeUTF(grid.savedCharset.name());
            pen(grid.savedPen);
            byte[] tabs = grid.tabs.toByteArray();
            out.writeInt(tabs.length);
            out.write(tabs);
            for (int i = 0; i < grid.size(); i++) {
                line(grid.line(i));
            }
        }

        /// Runs of equal cells, so that blanks take no room; a cluster once as text, then by its number.
        private void line(Line line) throws IOException {
            out.writeBoolean(line.wrapped);
            out.writeLong(line.began);
            out.writeLong(line.changed);
            out.writeInt(line.firm);
            long[] cells = line.cells;
            for (int x = 0; x < cells.length;) {
                int end = x + 1;
                while (end < cells.length && cells[end] == cells[x] && end - x < 255) {
                    end++;
                }
                out.writeByte(end - x);
                cell(cells[x]);
                x = end;
            }
        }

        private void cell(long cell) throws IOException {
            if (!Cell.isCluster(cell)) {
                out.writeLong(cell);
                return;
            }
            String text = terminal.text(cell);
            Integer known = clusters.putIfAbsent(text, clusters.size() + 1);
            int number = known == null ? clusters.size() : known;
            out.writeLong((cell & ~Cell.INDEX) | number);
            if (known == null) {
                out.writeUTF(text);
            }
        }

        private void pen(Pen pen) throws IOException {
            out.writeInt(pen.fg);
            out.writeInt(pen.bg);
            out.writeInt(pen.under);
            out.writeInt(pen.link);
        }
    }

    private static final class Reader {
        private final DataInputStream in;
        /// New numbers by the old ones.
        private final Map<Integer, Integer> styles = new HashMap<>(Map.of(0, 0));
        private final Map<Integer, Integer> links = new HashMap<>(Map.of(0, 0));
        private final List<Integer> clusters = new ArrayList<>();

        Reader(DataInputStream in) {
            this.in = in;
        }

        Terminal read(int keptRows) throws IOException {
            ScreenLimits folded =
                    new ScreenLimits(in.readInt(), in.readInt(), in.readInt(), in.readInt(), in.readInt(), in.readInt(),
                            in.readInt());
            ScreenLimits limits = folded.withKeptRows(Math.max(keptRows, folded.keptRows()));
            Terminal terminal = new Terminal(in.readInt(), in.readInt(), limits);
            long at = in.readLong();
            styles(terminal);
            modes(terminal);
            grid(terminal, terminal.main);
            grid(terminal, terminal.alternate);
            pen(terminal.pen);
            terminal.penChanged();
            terminal.title = in.readUTF();
            terminal.titlePrivate = in.readBoolean();
            for (int count = in.readInt(); count > 0; count--) {
                terminal.palette.set.put(in.readInt(), in.readInt());
            }
            byte[] held = in.readNBytes(in.readInt());
            terminal.resume(held, in.readLong(), in.readLong(), in.readBoolean(), at);
            return terminal;
        }

        private void styles(Terminal terminal) throws IOException {
            int[][] read = new int[in.readInt()][5];
            for (int[] style : read) {
                for (int i = 0; i < style.length; i++) {
                    style[i] = in.readInt();
                }
            }
            for (int count = in.readInt(); count > 0; count--) {
                links.put(in.readInt(), terminal.links.number(new Link(in.readUTF(), in.readUTF(), in.readBoolean())));
            }
            for (int[] style : read) {
                styles.put(style[0],
                        terminal.styles.number(style[1], style[2], style[3], links.getOrDefault(style[4], 0)));
            }
        }

        private void modes(Terminal terminal) throws IOException {
            Switches s = terminal.switches;
            s.insert = in.readBoolean();
            s.newLine = in.readBoolean();
            s.cursorKeys = in.readBoolean();
            s.keypad = in.readBoolean();
            s.origin = in.readBoolean();
            s.wrap = in.readBoolean();
            s.reverseWrap = in.readBoolean();
            s.focus = in.readBoolean();
            s.bracketedPaste = in.readBoolean();
            s.synchronizedUpdate = in.readBoolean();
            s.cursorHidden = in.readBoolean();
            s.cursorBlink = in.readBoolean();
            terminal.grid = in.readBoolean() ? terminal.alternate : terminal.main;
            terminal.veil(in.readBoolean());
            s.cursorShape = in.readByte();
            s.mouse = Modes.Mouse.valueOf(in.readUTF());
            s.mouseEncoding = Modes.MouseEncoding.valueOf(in.readUTF());
            for (int level = 0; level < terminal.charsets.length; level++) {
                terminal.charsets[level] = Charset.valueOf(in.readUTF());
            }
            terminal.charsetLevel = in.readByte();
            terminal.charset = Charset.valueOf(in.readUTF());
            terminal.joinWidth = in.readByte();
        }

        private void grid(Terminal terminal, Grid grid) throws IOException {
            grid.above = in.readInt();
            grid.x = in.readInt();
            grid.y = in.readInt();
            grid.top = in.readInt();
            grid.bottom = in.readInt();
            grid.savedX = in.readInt();
            grid.savedY = in.readInt();
            int size = in.readInt();
            grid.first = in.readLong();
            grid.savedCharset = Charset.valueOf(in.readUTF());
            pen(grid.savedPen);
            grid.tabs.clear();
            grid.tabs.or(BitSet.valueOf(in.readNBytes(in.readInt())));
            List<Line> lines = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                lines.add(line(terminal, grid.cols));
            }
            grid.setLines(lines, grid.cols, grid.rows);
        }

        private Line line(Terminal terminal, int cols) throws IOException {
            Line line = new Line(cols, Cell.BLANK);
            line.wrapped = in.readBoolean();
            line.began = in.readLong();
            line.changed = in.readLong();
            line.firm = in.readInt();
            for (int x = 0; x < cols;) {
                int end = x + in.readUnsignedByte();
                Arrays.fill(line.cells, x, end, cell(terminal));
                x = end;
            }
            return line;
        }

        private long cell(Terminal terminal) throws IOException {
            long cell = in.readLong();
            long style = Objects.requireNonNull(styles.get(Cell.style(cell)));
            cell = (cell & ~(0xffffL << Cell.STYLE_SHIFT)) | style << Cell.STYLE_SHIFT;
            if (!Cell.isCluster(cell)) {
                return cell;
            }
            int number = (int) cell & Cell.INDEX;
            if (number > clusters.size()) {
                clusters.add(terminal.clusters.number(in.readUTF()));
            }
            return (cell & ~Cell.INDEX) | clusters.get(number - 1);
        }

        private void pen(Pen pen) throws IOException {
            pen.fg = in.readInt();
            pen.bg = in.readInt();
            pen.under = in.readInt();
            pen.link = links.getOrDefault(in.readInt(), 0);
        }
    }
}
