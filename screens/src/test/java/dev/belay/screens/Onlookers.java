package dev.belay.screens;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.OutputLog.Resize;
import dev.belay.ReadResult.Chunk;
import dev.belay.Session;
import dev.belay.Size;
import dev.belay.testkit.XtermJs;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;

/// Two viewers of a session with xterm.js: one has seen its whole log, the other comes late and gets a repaint. Both
/// terminals must be in the same state: every cell of both screens, styles, wraps, rows above, cursor, margins, tab
/// stops, modes and title.
final class Onlookers implements AutoCloseable {
    private final XtermJs xterm = new XtermJs(Path.of("..", "screen", "src", "test", "xterm"));
    private final Screens screens;
    private final int history;

    /// @param history how many rows above the screen both have
    Onlookers(Screens screens, int history) {
        this.screens = screens;
        this.history = history;
    }

    /// Compares at a number of offsets, the last of which is the log's end.
    void compare(Session session, int times) {
        long end = session.output().end();
        List<Long> offsets = new ArrayList<>();
        for (int i = 1; i <= times; i++) {
            offsets.add(end * i / times);
        }
        compare(session, offsets);
    }

    /// Compares at offsets, which are in order.
    void compare(Session session, List<Long> offsets) {
        List<Repaint> repaints = new ArrayList<>();
        for (long offset : offsets) {
            repaints.add(screens.repaint(session, OptionalLong.of(offset), history));
        }
        List<String> early = xterm.say(all(session, repaints), repaints.size());
        StringBuilder late = new StringBuilder();
        repaints.forEach(repaint -> late.append(anew(repaint.size())).append(feed(repaint.bytes())).append("dump\n"));
        List<String> repainted = xterm.say(late.toString(), repaints.size());
        for (int i = 0; i < repaints.size(); i++) {
            assertThat(withoutReplies(repainted.get(i)))
                    .as("offset %d of %s", repaints.get(i).offset(), session.spec().command())
                    .isEqualTo(withoutReplies(early.get(i)));
        }
    }

    /// Everything that was printed, each size before what was printed in it, with a look at each repaint's offset.
    private String all(Session session, List<Repaint> repaints) {
        byte[] bytes = bytes(session, repaints.getLast().offset());
        Deque<Resize> resizes = new ArrayDeque<>(session.output().resizes());
        StringBuilder said = new StringBuilder(anew(resizes.removeFirst().size()));
        int at = 0;
        for (Repaint repaint : repaints) {
            while (!resizes.isEmpty() && resizes.getFirst().offset() <= repaint.offset()) {
                Resize resize = resizes.removeFirst();
                said.append(feed(Arrays.copyOfRange(bytes, at, (int) resize.offset())));
                at = (int) resize.offset();
                said.append("resize ").append(words(resize.size())).append('\n');
            }
            said.append(feed(Arrays.copyOfRange(bytes, at, (int) repaint.offset()))).append("dump\n");
            at = (int) repaint.offset();
        }
        return said.toString();
    }

    static byte[] bytes(Session session, long end) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        while (bytes.size() < end) {
            Chunk chunk = (Chunk) session.output().read(bytes.size(), (int) (end - bytes.size()));
            bytes.writeBytes(chunk.bytes());
        }
        return bytes.toByteArray();
    }

    private String anew(Size size) {
        return "new " + words(size) + " " + history + "\n";
    }

    private static String words(Size size) {
        return size.cols() + " " + size.rows();
    }

    private static String feed(byte[] bytes) {
        return "feed " + HexFormat.of().formatHex(bytes) + "\n";
    }

    /// The one answers what it is asked, but is not heard; the other is not asked.
    private static String withoutReplies(String state) {
        return state.replaceFirst(" replies=.*", "");
    }

    @Override
    public void close() {
        xterm.close();
    }
}
