package dev.belay.socketio;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// What a [Connection] has to send: the messages that wait, and those that the transport is taking. Guarded by the
/// connection's lock.
final class SendQueue {
    /// A batch ends with the message that reaches this size.
    private static final int BATCH_BYTES = 64 * 1024;

    private final Deque<Message> waiting = new ArrayDeque<>();
    private List<Message> inFlight = List.of();
    private long bytes;

    /// Adds a message behind all others.
    void add(Message message) {
        waiting.addLast(message);
        bytes += message.bytes();
    }

    /// Adds a message before all others that wait.
    void addFirst(Message message) {
        waiting.addFirst(message);
        bytes += message.bytes();
    }

    /// Whether nothing waits.
    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /// The size of what waits and of what is in flight.
    long bytes() {
        return bytes;
    }

    /// The next messages to send, which are in flight until [#taken].
    List<Message> nextBatch() {
        List<Message> batch = new ArrayList<>();
        long size = 0;
        while (size < BATCH_BYTES && !waiting.isEmpty()) {
            Message message = waiting.remove();
            size += message.bytes();
            batch.add(message);
        }
        inFlight = batch;
        return batch;
    }

    /// The transport has taken what was in flight.
    List<Message> taken() {
        List<Message> sent = inFlight;
        inFlight = List.of();
        return left(sent);
    }

    /// Removes what waits.
    List<Message> dropWaiting() {
        List<Message> dropped = List.copyOf(waiting);
        waiting.clear();
        return left(dropped);
    }

    /// Removes what waits and what is in flight.
    List<Message> dropAll() {
        List<Message> dropped = new ArrayList<>(taken());
        dropped.addAll(dropWaiting());
        return dropped;
    }

    private List<Message> left(List<Message> messages) {
        for (Message message : messages) {
            bytes -= message.bytes();
        }
        return messages;
    }
}
