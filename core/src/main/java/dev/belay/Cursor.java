package dev.belay;

import dev.belay.ReadResult.Chunk;
import dev.belay.ReadResult.End;
import dev.belay.ReadResult.Gap;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// One reader's place in the log of a session. Draining reads and moves it forward; peeking only reads.
///
/// Safe for any thread. Two threads that drain one cursor share the output between them.
public final class Cursor {
    private final LiveSession live;
    private final OutputLog log;
    private final boolean holds;
    private long position;
    /// Whether the byte at the position follows a gap, so it may be in the middle of a character.
    private boolean afterGap;

    /// @param holds whether a lossless session keeps what this cursor has not drained
    Cursor(LiveSession live, Actor actor, long position, boolean holds) {
        this.live = live;
        this.log = new OutputLog(live, actor);
        this.position = position;
        this.holds = holds;
    }

    /// The offset of the first byte that is not drained yet.
    public synchronized long position() {
        return position;
    }

    /// How many bytes lie between here and the end of the log.
    public long unread() {
        return Math.max(0, log.end() - position());
    }

    /// What comes next, without moving.
    public ReadResult peek(int max) {
        return log.read(position(), max);
    }

    /// What comes next; the cursor moves past it.
    public synchronized ReadResult drain(int max) {
        ReadResult result = log.read(position, max);
        move(result.next(), result instanceof Gap);
        return result;
    }

    /// What comes next; the cursor moves past it. Waits if there is nothing yet.
    ///
    /// @return an empty chunk if nothing came in time
    public ReadResult drain(int max, Duration timeout) throws InterruptedException {
        Deadline deadline = live.in(timeout);
        try (var _ = log.busy()) {
            while (true) {
                long seen = live.bell.rings();
                ReadResult result = drain(max);
                if (!OutputLog.isEmpty(result) || !live.bell.await(seen, deadline)) {
                    return result;
                }
            }
        }
    }

    /// What comes next as text, without moving.
    public synchronized Text peekText(int maxBytes) {
        return text(maxBytes);
    }

    /// What comes next as text; the cursor moves past it.
    public synchronized Text drainText(int maxBytes) {
        Text text = text(maxBytes);
        move(text.next(), text.lostBytes() > 0 && text.text().isEmpty());
        return text;
    }

    /// Waits until there is something to drain: bytes, a gap or the end.
    ///
    /// @return false if nothing came in time
    public boolean awaitMore(Duration timeout) throws InterruptedException {
        return !OutputLog.isEmpty(log.read(position(), 1, timeout));
    }

    /// Waits for the first of several conditions in the output from here on, without moving.
    public Waited await(Until until, Duration timeout) throws InterruptedException {
        return new Search(live, log, until, position(), timeout).run();
    }

    /// Moves to an offset, forward or back.
    public synchronized void moveTo(long offset) {
        move(offset, false);
    }

    private void move(long to, boolean gap) {
        afterGap = gap || (afterGap && to == position);
        position = to;
        if (holds) {
            live.drainerMoved(to);
        }
    }

    private Text text(int maxBytes) {
        if (maxBytes < 4) {
            throw SessionException.invalid("Read text at least 4 bytes at a time: one character may take 4.");
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        long at = position;
        long lost = 0;
        boolean ended = false;
        boolean ragged = afterGap;
        boolean cutHere = false;
        log.touch();
        collecting:
        while (bytes.size() < maxBytes) {
            switch (log.look(at, maxBytes - bytes.size())) {
                case Chunk chunk when chunk.bytes().length == 0 -> {
                    break collecting;
                }
                case Chunk chunk -> {
                    int skip = ragged ? Utf8.continuationHead(chunk.bytes(), chunk.bytes().length) : 0;
                    ragged = false;
                    lost += skip;
                    bytes.write(chunk.bytes(), skip, chunk.bytes().length - skip);
                    at = chunk.next();
                }
                case Gap gap -> {
                    // Text before a gap is returned on its own, so that the gap has a place in the text.
                    if (bytes.size() > 0) {
                        cutHere = true;
                        break collecting;
                    }
                    lost += gap.lostBytes();
                    at = gap.next();
                    ragged = true;
                }
                case End _ -> {
                    ended = true;
                    break collecting;
                }
            }
        }
        byte[] all = bytes.toByteArray();
        int keep = ended || cutHere ? 0 : Utf8.incompleteTail(all, all.length);
        String text = new String(all, 0, all.length - keep, StandardCharsets.UTF_8);
        return new Text(text, position, at - keep, lost, ended);
    }
}
