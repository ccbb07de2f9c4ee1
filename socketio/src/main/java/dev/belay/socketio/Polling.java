package dev.belay.socketio;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/// HTTP long-polling: a GET waits for packets, a POST brings some; there is at most one of each at a time.
final class Polling implements Transport {
    /// A request that is being answered.
    private record Exchange(Request request, Response response, Callback callback) {
        void answer(ByteBuffer body, Callback then) {
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain; charset=UTF-8");
            response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.remaining());
            response.write(true, body, Callback.combine(callback, then));
        }
    }

    private static final ByteBuffer OK = BufferUtil.toBuffer("ok").asReadOnlyBuffer();

    private final Connection connection;

    // Guarded by the connection's lock.
    private @Nullable Exchange waiting;
    private @Nullable Exchange claimed;
    private boolean posting;

    Polling(Connection connection) {
        this.connection = connection;
    }

    /// A GET: waits until there is something to send. A second one ends the connection.
    void poll(Request request, Response response, Callback callback) {
        Exchange exchange = new Exchange(request, response, callback);
        boolean alone;
        synchronized (connection.lock()) {
            alone = waiting == null;
            if (alone) {
                waiting = exchange;
            }
        }
        if (!alone) {
            connection.end(DisconnectReason.PARSE_ERROR);
            refuse(exchange, HttpStatus.BAD_REQUEST_400, "a client may have one GET at a time");
            return;
        }
        // The heartbeat says how long a poll may wait, not the connector.
        request.addIdleTimeoutListener(_ -> false);
        request.addFailureListener(_ -> abandoned(exchange));
        if (connection.polling() == this) {
            connection.flush();
        } else {
            end(EnginePacket.CLOSE, false); // it ended in the meantime
        }
    }

    private void abandoned(Exchange exchange) {
        boolean waited;
        synchronized (connection.lock()) {
            waited = exchange.equals(waiting);
            if (waited) {
                waiting = null;
            }
        }
        if (waited) {
            exchange.callback.failed(new IOException("the client is gone"));
            connection.end(DisconnectReason.TRANSPORT_ERROR);
        }
    }

    @Override
    public boolean claim() {
        if (waiting == null) {
            return false;
        }
        claimed = waiting;
        waiting = null;
        return true;
    }

    @Override
    public void send(List<Frame> frames, Callback callback) {
        Exchange exchange;
        synchronized (connection.lock()) {
            exchange = claimed;
        }
        if (exchange == null) {
            callback.failed(new IOException("the connection has ended"));
            return;
        }
        exchange.answer(Payload.encode(frames), Callback.from(() -> {
            synchronized (connection.lock()) {
                if (exchange.equals(claimed)) {
                    claimed = null;
                }
            }
        }, callback));
    }

    /// A POST: its packets are delivered one by one, then it is answered. A second one ends the connection.
    void post(Request request, Response response, Callback callback) {
        Exchange exchange = new Exchange(request, response, callback);
        boolean alone;
        synchronized (connection.lock()) {
            alone = !posting;
            posting = true;
        }
        if (!alone) {
            connection.end(DisconnectReason.PARSE_ERROR);
            refuse(exchange, HttpStatus.BAD_REQUEST_400, "a client may have one POST at a time");
        } else {
            new Post(exchange).run();
        }
    }

    /// Whether a POST is being read or delivered. Called with the connection's lock held.
    boolean delivers() {
        return posting;
    }

    private final class Post implements Runnable {
        private final Exchange exchange;
        private final int limit = connection.maxPayload();
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();

        Post(Exchange exchange) {
            this.exchange = exchange;
        }

        @Override
        public void run() {
            if (exchange.request.getLength() > limit) {
                tooLarge();
                return;
            }
            while (true) {
                Content.Chunk chunk = exchange.request.read();
                if (chunk == null) {
                    exchange.request.demand(this);
                    return;
                }
                if (Content.Chunk.isFailure(chunk)) {
                    connection.end(DisconnectReason.TRANSPORT_ERROR);
                    exchange.callback.failed(chunk.getFailure());
                    return;
                }
                boolean fits = body.size() + chunk.remaining() <= limit;
                boolean last = chunk.isLast();
                if (fits) {
                    body.writeBytes(BufferUtil.toArray(chunk.getByteBuffer()));
                }
                chunk.release();
                if (!fits) {
                    tooLarge();
                    return;
                }
                if (last) {
                    read();
                    return;
                }
            }
        }

        private void tooLarge() {
            connection.end(DisconnectReason.TRANSPORT_ERROR);
            refuse(exchange, HttpStatus.PAYLOAD_TOO_LARGE_413, "a payload has at most " + limit + " bytes");
        }

        private void read() {
            try {
                deliver(Payload.of(body.toByteArray()));
            } catch (MalformedPacketException e) {
                malformed(e);
            }
        }

        private void deliver(Payload payload) {
            try {
                while (payload.hasNext()) {
                    if (connection.postpone(() -> deliver(payload))) {
                        return;
                    }
                    payload.next(connection::receive, connection::receive);
                }
            } catch (MalformedPacketException e) {
                malformed(e);
                return;
            }
            synchronized (connection.lock()) {
                posting = false;
            }
            exchange.answer(OK.slice(), Callback.NOOP);
        }

        private void malformed(MalformedPacketException e) {
            connection.end(DisconnectReason.PARSE_ERROR);
            refuse(exchange, HttpStatus.BAD_REQUEST_400, String.valueOf(e.getMessage()));
        }
    }

    private static void refuse(Exchange exchange, int status, String message) {
        Engine.refuse(exchange.response, exchange.callback, status, Engine.BAD_REQUEST, message);
    }

    @Override
    public void end(EnginePacket farewell, boolean atOnce) {
        Exchange idle;
        Exchange busy;
        synchronized (connection.lock()) {
            idle = waiting;
            busy = claimed;
            waiting = null;
        }
        if (idle != null) {
            idle.answer(Payload.encode(List.of(farewell.frame())), Callback.NOOP);
        }
        if (busy != null && atOnce) {
            busy.request.fail(new IOException("the client does not read"));
        }
    }
}
