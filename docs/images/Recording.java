import dev.belay.ReadResult;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.linux.LinuxHost;
import dev.belay.screen.Row;
import dev.belay.screen.Screen;
import dev.belay.screen.ScreenLimits;
import dev.belay.screen.Sight;
import dev.belay.screen.Snapshot;
import dev.belay.screen.Span;
import dev.belay.screen.Style;
import dev.belay.screen.Widths;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/// Makes docs/images/attach-and-top.svg: types at a real shell, in which the real `belay` runs, and draws what its
/// terminal showed. `scripts/record` starts it.
final class Recording {
    private static final int COLS = 92;
    private static final int ROWS = 24;
    private static final double CELL_WIDTH = 8.4;
    private static final double CELL_HEIGHT = 17;
    private static final int MARGIN = 14;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration KEY = Duration.ofMillis(55);
    /// What changes within this time is one frame.
    private static final long FRAME_NANOS = Duration.ofMillis(70).toNanos();
    /// How long a frame stays at most: a viewer need not wait for a JVM to start.
    private static final long LONGEST_NANOS = Duration.ofMillis(1600).toNanos();
    private static final String BACKGROUND = "#0c0f14";
    private static final String FOREGROUND = "#d5dbe6";
    private static final String[] PALETTE = {
        "#2a303b", "#f2727f", "#58c27d", "#e5b14c", "#6ea2ff", "#b59bf5", "#5cc8d6", "#d5dbe6",
        "#5f6979", "#ff8f9a", "#7bdb9b", "#f2c56b", "#8fb8ff", "#cbb8ff", "#84dde8", "#ffffff"};

    private record Chunk(long at, byte[] bytes) {}

    private record Frame(long at, Snapshot seen) {}

    private final List<Chunk> chunks = new ArrayList<>();
    private final Session shell;
    private final Screen live = new Screen(COLS, ROWS, ScreenLimits.defaults());

    private Recording(Session shell) {
        this.shell = shell;
        Thread.ofPlatform().daemon().start(this::record);
    }

    /// @param args where the command is, a folder for its state, and the picture to make
    public static void main(String... args) throws Exception {
        String path = Path.of(args[0]).toAbsolutePath().getParent() + ":" + System.getenv("PATH");
        try (Sessions sessions = Sessions.on(LinuxHost.at(Path.of(args[1])))) {
            Session shell = sessions.open(SessionSpec.of("bash", "--norc", "--noprofile")
                    .env(Map.of("PATH", path, "PS1", "\\[\\e[32m\\]~/shop\\[\\e[m\\] $ ", "XDG_STATE_HOME", args[1] + "/state",
                            "TERM", "xterm-256color", "LC_ALL", "C.UTF-8", "HISTFILE", ""))
                    .size(COLS, ROWS));
            Recording recording = new Recording(shell);
            recording.play();
            Files.writeString(Path.of(args[2]), new Picture(recording.frames()).svg());
        }
    }

    // --- the scene ---

    private void play() throws Exception {
        await(screen -> screen.contains("shop $"));
        enter("belay ls");
        await(screen -> screen.contains("agent-1"));
        pause(1200);
        enter("belay attach build");
        await(screen -> screen.contains("build $") && !screen.contains("shop $"));
        pause(900);
        enter("make test");
        await(screen -> screen.contains("4 passed"));
        pause(1000);
        key("\034");
        key("d");
        await(screen -> screen.contains("[detached from build"));
        pause(900);
        enter("belay top");
        await(screen -> screen.contains("secret") && screen.contains("Password"));
        pause(2600);
        key("\033[B");
        await(screen -> screen.contains("screen of build") && screen.contains("4 passed"));
        pause(1800);
        key("\033[B");
        await(screen -> screen.contains("screen of agent-1") && screen.contains("step"));
        pause(2600);
        key("\033[A");
        await(screen -> screen.contains("screen of build"));
        pause(800);
        key("x");
        await(screen -> screen.contains("Close build"));
        pause(1500);
        key("y");
        await(screen -> screen.contains("Closed build"));
        pause(1600);
        key("q");
        await(screen -> !screen.contains("belay top  "));
        pause(1200);
    }

    private void enter(String line) throws InterruptedException {
        for (int i = 0; i < line.length(); i++) {
            key(line.substring(i, i + 1));
        }
        key("\r");
    }

    private void key(String bytes) throws InterruptedException {
        shell.write(bytes.getBytes(StandardCharsets.UTF_8));
        Thread.sleep(KEY);
    }

    private static void pause(long millis) throws InterruptedException {
        Thread.sleep(millis);
    }

    private void await(Predicate<String> expected) throws InterruptedException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        synchronized (live) {
            while (!expected.test(live.snapshot(Sight.ALL, 0).text())) {
                long left = until - System.nanoTime();
                if (left <= 0) {
                    throw new IllegalStateException("not seen; the screen is:\n" + live.snapshot(Sight.ALL, 0).text());
                }
                live.wait(Math.max(1, left / 1_000_000));
            }
        }
    }

    private void record() {
        try {
            long next = 0;
            while (true) {
                ReadResult read = shell.output().read(next, 1 << 16, PATIENCE);
                next = read.next();
                if (read instanceof ReadResult.End) {
                    return;
                }
                if (read instanceof ReadResult.Chunk chunk && chunk.bytes().length > 0) {
                    synchronized (live) {
                        chunks.add(new Chunk(System.nanoTime(), chunk.bytes()));
                        live.feed(chunk.bytes());
                        live.notifyAll();
                    }
                }
            }
        } catch (InterruptedException | RuntimeException _) {
            // The shell was closed.
        }
    }

    /// What was seen, a frame whenever it changed.
    private List<Frame> frames() {
        List<Frame> frames = new ArrayList<>();
        Screen screen = new Screen(COLS, ROWS, ScreenLimits.defaults());
        long shownAt = 0;
        long before = chunks.getFirst().at();
        for (int i = 0; i < chunks.size(); i++) {
            Chunk chunk = chunks.get(i);
            screen.feed(chunk.bytes());
            shownAt += Math.min(chunk.at() - before, LONGEST_NANOS);
            before = chunk.at();
            boolean last = i == chunks.size() - 1;
            if (last || chunks.get(i + 1).at() - chunk.at() > FRAME_NANOS) {
                frames.add(new Frame(shownAt, screen.snapshot(Sight.ALL, 0)));
            }
        }
        return frames;
    }

    /// Frames as an animated SVG: side by side in a strip, of which one is seen at a time. Equal rows are drawn once.
    private static final class Picture {
        private static final double END_SECONDS = 2.5;
        private final List<Frame> frames;
        private final Map<String, Integer> rows = new LinkedHashMap<>();

        Picture(List<Frame> frames) {
            this.frames = frames;
        }

        String svg() {
            double width = COLS * CELL_WIDTH + 2 * MARGIN;
            double height = ROWS * CELL_HEIGHT + 2 * MARGIN;
            double total = seconds(frames.getLast().at()) + END_SECONDS;
            StringBuilder strip = new StringBuilder();
            StringBuilder steps = new StringBuilder();
            for (int i = 0; i < frames.size(); i++) {
                strip.append(frame(frames.get(i).seen(), i * width));
                steps.append(number(100 * seconds(frames.get(i).at()) / total)).append("%{transform:translateX(-")
                        .append(number(i * width)).append("px)}");
            }
            StringBuilder drawn = new StringBuilder();
            rows.forEach((row, id) -> drawn.append("<g id=\"r").append(id).append("\">").append(row).append("</g>\n"));
            return """
                    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$s %2$s" width="%1$s" height="%2$s">
                    <title>belay attach and belay top</title>
                    <style>
                    text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:%3$s;white-space:pre}
                    .b{font-weight:bold}.d{opacity:.6}.u{text-decoration:underline}
                    #strip{animation:play %4$ss steps(1,end) infinite}
                    @keyframes play{%5$s}
                    </style>
                    <rect width="100%%" height="100%%" rx="8" fill="%6$s"/>
                    <defs>
                    %7$s</defs>
                    <svg x="%8$s" y="%8$s" width="%9$s" height="%10$s"><g id="strip">
                    %11$s</g></svg>
                    </svg>
                    """.formatted(number(width), number(height), FOREGROUND, number(total), steps, BACKGROUND, drawn, MARGIN,
                    number(COLS * CELL_WIDTH), number(ROWS * CELL_HEIGHT), strip);
        }

        private String frame(Snapshot seen, double x) {
            StringBuilder frame = new StringBuilder("<g transform=\"translate(" + number(x) + ")\">");
            for (int i = 0; i < seen.rows().size(); i++) {
                String row = row(seen.rows().get(i));
                if (!row.isEmpty()) {
                    int id = rows.computeIfAbsent(row, _ -> rows.size());
                    frame.append("<use href=\"#r").append(id).append("\" y=\"").append(number(i * CELL_HEIGHT)).append("\"/>");
                }
            }
            if (seen.cursor().visible()) {
                frame.append("<rect x=\"").append(number(seen.cursor().column() * CELL_WIDTH)).append("\" y=\"")
                        .append(number(seen.cursor().row() * CELL_HEIGHT)).append("\" width=\"").append(CELL_WIDTH)
                        .append("\" height=\"").append(CELL_HEIGHT).append("\" fill=\"").append(FOREGROUND)
                        .append("\" opacity=\".6\"/>");
            }
            return frame.append("</g>\n").toString();
        }

        private static String row(Row row) {
            String text = row.text();
            StringBuilder backgrounds = new StringBuilder();
            StringBuilder letters = new StringBuilder();
            int done = 0;
            int col = 0;
            for (Span span : row.spans()) {
                col += draw(text.substring(done, span.from()), Style.PLAIN, col, backgrounds, letters);
                col += draw(text.substring(span.from(), span.to()), span.style(), col, backgrounds, letters);
                done = span.to();
            }
            draw(text.substring(done), Style.PLAIN, col, backgrounds, letters);
            return backgrounds + (letters.isEmpty() ? "" : "<text y=\"13\">" + letters + "</text>");
        }

        /// @return how many columns it takes
        private static int draw(String text, Style style, int col, StringBuilder backgrounds, StringBuilder letters) {
            int width = text.codePoints().map(Widths::of).sum();
            String front = colour(style.foreground(), FOREGROUND);
            String back = colour(style.background(), BACKGROUND);
            if (style.inverse()) {
                String swapped = front;
                front = back;
                back = swapped;
            }
            if (!back.equals(BACKGROUND) && width > 0) {
                backgrounds.append("<rect x=\"").append(number(col * CELL_WIDTH)).append("\" width=\"")
                        .append(number(width * CELL_WIDTH)).append("\" height=\"").append(CELL_HEIGHT).append("\" fill=\"")
                        .append(back).append("\"/>");
            }
            // Words are placed one by one: fonts differ in their width.
            int at = col;
            for (String word : text.split("(?<= )(?=[^ ])", -1)) {
                if (!word.isBlank()) {
                    String kind = (style.bold() ? "b" : "") + (style.dim() ? " d" : "")
                            + (style.underline() == Style.Underline.NONE ? "" : " u");
                    letters.append("<tspan x=\"").append(number(at * CELL_WIDTH)).append('"')
                            .append(front.equals(FOREGROUND) ? "" : " fill=\"" + front + "\"")
                            .append(kind.isBlank() ? "" : " class=\"" + kind.strip() + "\"").append('>')
                            .append(escaped(word.stripTrailing())).append("</tspan>");
                }
                at += word.codePoints().map(Widths::of).sum();
            }
            return width;
        }

        private static String colour(int colour, String standard) {
            if (colour == Style.DEFAULT) {
                return standard;
            }
            if ((colour & Style.RGB) != 0) {
                return String.format(Locale.ROOT, "#%06x", colour & 0xff_ffff);
            }
            if (colour < 16) {
                return PALETTE[colour];
            }
            if (colour >= 232) {
                int grey = 8 + 10 * (colour - 232);
                return String.format(Locale.ROOT, "#%02x%02x%02x", grey, grey, grey);
            }
            int cube = colour - 16;
            return String.format(Locale.ROOT, "#%02x%02x%02x", level(cube / 36), level(cube / 6 % 6), level(cube % 6));
        }

        private static int level(int step) {
            return step == 0 ? 0 : 55 + 40 * step;
        }

        private static String escaped(String text) {
            return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        }

        private static double seconds(long nanos) {
            return nanos / 1e9;
        }

        private static String number(double value) {
            String text = String.format(Locale.ROOT, "%.2f", value);
            return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
        }
    }
}
