package dev.belay.socketio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/// HTTP long-polling: a GET waits for packets, a POST brings some; there is at most one of each at a time.
final class Polling implements Transport {
    /// A request that is being answered.
    private record Exchange(Request request, Response response, Callback callback, EndPoint connection) {
        Exchange(Request request, Response response, Callback callback) {
            this(request, response, callback, request.getConnectionMetaData().getConnection().getEndPoint());
        }

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
    private @Nullable RequestBody reading;

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
            new Post(exchange).start();
        }
    }

    /// Whether a POST is being read or delivered. Called with the connection's lock held.
    boolean delivers() {
        return posting;
    }

    private final class Post {
        private final Exchange exchange;
        private final int limit = connection.maxPayload();

        Post(Exchange exchange) {
            this.exchange = exchange;
        }

        void start() {
            RequestBody body =
                    RequestBody.read(exchange.request, limit, 0, connection.engine().settings().bodyTimeout());
            synchronized (connection.lock()) {
                reading = body;
            }
            body.received().thenAccept(this::received);
            if (connection.polling() != Polling.this) {
                body.giveUp(); // it ended in the meantime
            }
        }

        private void received(RequestBody.Received body) {
            switch (body.end()) {
                case WHOLE -> read(body.bytes());
                case TOO_LARGE -> tooLarge();
                case LATE -> {
                    connection.end(DisconnectReason.TRANSPORT_ERROR);
                    refuse(exchange, HttpStatus.REQUEST_TIMEOUT_408, "the payload did not arrive in time");
                }
                case BROKEN -> {
                    connection.end(DisconnectReason.TRANSPORT_ERROR);
                    exchange.callback.failed(Objects.requireNonNull(body.cause()));
                }
                case GIVEN_UP -> refuse(exchange, HttpStatus.BAD_REQUEST_400, "the session has ended");
            }
        }

        private void tooLarge() {
            connection.end(DisconnectReason.TRANSPORT_ERROR);
            refuse(exchange, HttpStatus.PAYLOAD_TOO_LARGE_413, "a payload has at most " + limit + " bytes");
        }

        private void read(byte[] bytes) {
            try {
                deliver(Payload.of(bytes));
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
        if (!exchange.request.consumeAvailable()) {
            // What is left of the body is not read, so this connection can carry no other request.
            exchange.response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
        Engine.refuse(exchange.response, exchange.callback, status, Engine.BAD_REQUEST, message);
    }

    @Override
    public void end(EnginePacket farewell, boolean atOnce) {
        Exchange idle;
        Exchange busy;
        RequestBody body;
        synchronized (connection.lock()) {
            idle = waiting;
            busy = claimed;
            body = reading;
            waiting = null;
        }
        if (body != null) {
            body.giveUp();
        }
        if (idle != null) {
            idle.answer(Payload.encode(List.of(farewell.frame())), Callback.NOOP);
        }
        if (busy != null && atOnce) {
            // Not Request.fail: the request may be done by now, and this the connection of the next one.
            busy.connection.close();
        }
    }
}
