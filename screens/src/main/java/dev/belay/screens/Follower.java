package dev.belay.screens;

import dev.belay.Actor;
import dev.belay.OutputLog;
import dev.belay.OutputLog.Resize;
import dev.belay.PrivateRange;
import dev.belay.ReadResult;
import dev.belay.ReadResult.Chunk;
import dev.belay.Session;
import dev.belay.Size;
import dev.belay.screen.Checkpoint;
import dev.belay.screen.Screen;
import dev.belay.screen.ScreenLimits;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A screen that follows a session's output: its bytes, sizes, private ranges and gaps. For one thread at a time.
final class Follower {
    private static final int READ_BYTES = 1 << 18;

    private final OutputLog log;
    private final Consumer<String> privately;
    private final Screen screen;
    /// The last size that the screen was given; null if it has none yet.
    private @Nullable Resize sized;

    /// A screen at an offset, folded, with the last size that it was given.
    record Mark(Checkpoint screen, @Nullable Resize sized) {
        long offset() {
            return screen.offset();
        }
    }

    /// @param privately hears the name of each holder of the keyboard who printed something privately
    private Follower(Session session, Consumer<String> privately, Screen screen, @Nullable Resize sized) {
        this.log = log(session);
        this.privately = privately;
        this.screen = screen;
        this.sized = sized;
    }

    /// The log with its private ranges; reading it is no activity.
    static OutputLog log(Session session) {
        return session.as(new Actor("screens", true).asWatcher()).output();
    }

    /// A blank screen at offset 0.
    static Follower fresh(Session session, ScreenLimits limits, Consumer<String> privately) {
        Resize first = log(session).resizes().getFirst();
        Size size = first.size();
        return new Follower(session, privately, new Screen(size.cols(), size.rows(), limits),
                first.offset() == 0 ? first : null);
    }

    /// @param keptRows how many rows to keep above the screen at least
    static Follower at(Session session, Mark mark, int keptRows, Consumer<String> privately) {
        return new Follower(session, privately, Screen.at(mark.screen(), keptRows), mark.sized());
    }

    Screen screen() {
        return screen;
    }

    Mark mark() {
        return new Mark(screen.checkpoint(), sized);
    }

    /// Brings the screen to an offset, which the log has reached. It gets each size before the byte that was printed
    /// in it.
    void follow(long to) {
        // After the offset is known: the log has every size that began before it.
        List<Resize> resizes = log.resizes();
        int next = nextOf(resizes);
        while (true) {
            while (next < resizes.size() && resizes.get(next).offset() <= screen.offset()) {
                resize(resizes.get(next++));
            }
            if (screen.offset() >= to) {
                return;
            }
            long until = next < resizes.size() ? Math.min(to, resizes.get(next).offset()) : to;
            take(log.read(screen.offset(), (int) Math.min(READ_BYTES, until - screen.offset())), until);
        }
    }

    @SuppressWarnings("ReferenceEquality")
    private int nextOf(List<Resize> resizes) {
        for (int i = resizes.size() - 1; i >= 0 && sized != null; i--) {
            // The same object, since a terminal may have had a size more than once.
            if (resizes.get(i) == sized) {
                return i + 1;
            }
        }
        return 0;
    }

    private void resize(Resize to) {
        sized = to;
        screen.resize(to.size().cols(), to.size().rows());
    }

    private void take(ReadResult read, long until) {
        List<PrivateRange> ranges = log.privateRanges();
        if (!(read instanceof Chunk chunk) || log.start() > chunk.offset()) {
            // In the second case, private ranges may have been forgotten before they were asked for.
            screen.skip(Math.min(until, Math.max(read.next(), log.start())));
            return;
        }
        int at = 0;
        while (at < chunk.bytes().length) {
            long from = chunk.offset() + at;
            long to = chunk.next();
            boolean veiled = false;
            for (PrivateRange range : ranges) {
                if (range.from() <= from && from < range.to()) {
                    veiled = true;
                    to = Math.min(to, range.to());
                    privately.accept(range.holder());
                } else if (range.from() > from) {
                    to = Math.min(to, range.from());
                }
            }
            int end = (int) (to - chunk.offset());
            screen.veil(veiled);
            screen.feed(chunk.bytes(), at, end);
            at = end;
        }
    }
}
