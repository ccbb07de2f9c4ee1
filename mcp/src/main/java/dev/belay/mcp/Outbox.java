package dev.belay.mcp;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/// What is still to be said to a client, in order.
///
/// Nobody who has something to say waits for the client: a thread of its own writes, and what the client does not take
/// yet waits here. So the thread that reads the client's messages always learns that the client is gone, and a finished
/// call always ends. A client that lets too much wait has gone too.
final class Outbox implements AutoCloseable {
    private static final long MOST_WAITING_BYTES = 64 << 20;
    /// How long a client that has gone has to take what is left.
    private static final Duration PARTING = Duration.ofSeconds(5);
    private static final byte[] END = {};

    private final OutputStream out;
    private final BlockingQueue<byte[]> waiting = new LinkedBlockingQueue<>();
    private final AtomicLong waitingBytes = new AtomicLong();
    /// A platform thread: a write to a pipe that is full would hold a carrier. A daemon: nothing ends such a write.
    private final Thread writer = Thread.ofPlatform().daemon().name("belay-outbox").unstarted(this::write);
    private volatile boolean broken;

    Outbox(OutputStream out) {
        this.out = out;
        writer.start();
    }

    /// Says this as soon as the client has taken what was said before.
    void send(byte[] message) {
        if (waitingBytes.get() > MOST_WAITING_BYTES) {
            broken = true;
        }
        if (!broken) {
            waitingBytes.addAndGet(message.length);
            waiting.add(message);
        }
    }

    /// Whether the client no longer takes anything.
    boolean broken() {
        return broken;
    }

    private void write() {
        try {
            for (byte[] message = waiting.take(); message.length > 0; message = waiting.take()) {
                out.write(message);
                out.flush();
                waitingBytes.addAndGet(-message.length);
            }
        } catch (IOException _) {
            broken = true;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Gives the client some time to take what is left, and leaves the rest.
    @Override
    public void close() {
        waiting.add(END);
        try {
            writer.join(PARTING);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
