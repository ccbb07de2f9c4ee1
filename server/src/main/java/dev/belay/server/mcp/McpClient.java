package dev.belay.server.mcp;

import dev.belay.Time;
import dev.belay.mcp.Conversation;
import dev.belay.server.auth.Login;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// One client in a conversation: who it is, whether it uses it, and what waits for its stream.
final class McpClient implements AutoCloseable {
    /// How often a stream on which nothing is said is tried.
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(15);
    /// The server asks little: a client with this many unread requests has no stream.
    private static final int MOST_WAITING = 16;

    private final String id;
    private final Login login;
    private final Conversation conversation;
    private final Runnable ended;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<JsonNode> waiting = new ArrayDeque<>();
    private int stream;
    private int users;
    private final Time time;
    private long idleSinceNanos;
    private Scheduler.@Nullable Task timer;
    private boolean closed;

    /// @param ended run when the conversation has ended
    McpClient(String id, Login login, Conversation conversation, Runnable ended, Time time) {
        this.ended = ended;
        this.id = id;
        this.login = login;
        this.conversation = conversation;
        this.time = time;
        this.idleSinceNanos = time.nanos();
    }

    String id() {
        return id;
    }

    Login login() {
        return login;
    }

    Conversation conversation() {
        return conversation;
    }

    /// Whether a login is of the principal that began the conversation, in the role it had then.
    boolean isOf(Login other) {
        return login.name().equals(other.name()) && login.principal().role() == other.principal().role();
    }

    // --- use ---

    /// A request in progress.
    record Use(McpClient client) implements AutoCloseable {
        @Override
        public void close() {
            client.used();
        }
    }

    Use use() {
        lock.lock();
        try {
            users++;
            return new Use(this);
        } finally {
            lock.unlock();
        }
    }

    private void used() {
        lock.lock();
        try {
            users--;
            idleSinceNanos = time.nanos();
        } finally {
            lock.unlock();
        }
    }

    /// How long nobody has used it; zero while somebody does.
    Duration idle() {
        lock.lock();
        try {
            return users > 0 ? Duration.ZERO : Duration.ofNanos(time.nanos() - idleSinceNanos);
        } finally {
            lock.unlock();
        }
    }

    /// The clock that ends it when it is idle; stopped when it ends before.
    void timer(Scheduler.Task task) {
        lock.lock();
        try {
            timer = task;
            if (closed) {
                task.cancel();
            }
        } finally {
            lock.unlock();
        }
    }

    // --- the stream ---

    /// Sends the client a message that is not an answer.
    void ask(JsonNode message) {
        lock.lock();
        try {
            if (waiting.size() == MOST_WAITING) {
                waiting.removeFirst();
            }
            waiting.addLast(message);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Sends what is asked, until another stream takes over or the conversation ends.
    ///
    /// @throws IOException the client has gone; what it did not get waits for its next stream
    void stream(EventStream events) throws IOException, InterruptedException {
        int mine = takeOver();
        while (isMine(mine)) {
            JsonNode next = next(mine);
            if (next != null) {
                send(events, next);
            } else if (isMine(mine)) {
                events.keepAlive();
            }
        }
    }

    private void send(EventStream events, JsonNode message) throws IOException {
        try {
            events.send(message);
        } catch (IOException e) {
            lock.lock();
            try {
                waiting.addFirst(message);
            } finally {
                lock.unlock();
            }
            throw e;
        }
    }

    private int takeOver() {
        lock.lock();
        try {
            changed.signalAll();
            return ++stream;
        } finally {
            lock.unlock();
        }
    }

    private boolean isMine(int mine) {
        lock.lock();
        try {
            return stream == mine && !closed;
        } finally {
            lock.unlock();
        }
    }

    /// The next message; null if there was none for a while, or the stream is over.
    private @Nullable JsonNode next(int mine) throws InterruptedException {
        long left = KEEP_ALIVE.toNanos();
        lock.lockInterruptibly();
        try {
            while (stream == mine && !closed && waiting.isEmpty() && left > 0) {
                left = changed.awaitNanos(left);
            }
            return stream == mine && !closed ? waiting.pollFirst() : null;
        } finally {
            lock.unlock();
        }
    }

    /// Ends the stream and all calls. Sessions keep running: they belong to the principal.
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
            if (timer != null) {
                timer.cancel();
            }
        } finally {
            lock.unlock();
        }
        conversation.close();
        ended.run();
    }
}
