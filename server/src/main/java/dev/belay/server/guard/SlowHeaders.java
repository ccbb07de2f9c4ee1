package dev.belay.server.guard;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.util.thread.Scheduler;

/// Closes connections that send the headers of a request so slowly that they never get done: a byte now and then keeps
/// a connection from being idle.
///
/// It looks at each connection once per time allowed: if bytes have come in since the last look, but no request was
/// complete at either and none is being handled, that is all the time they get.
public final class SlowHeaders implements Connection.Listener {
    private final Scheduler scheduler;
    private final Duration allowed;

    public SlowHeaders(Scheduler scheduler, Duration allowed) {
        this.scheduler = scheduler;
        this.allowed = allowed;
    }

    @Override
    public void onOpened(Connection connection) {
        // Of HTTP alone: below it is encryption, and a WebSocket takes its place.
        if (connection instanceof ConnectionMetaData) {
            look(connection, 0, 0);
        }
    }

    private void look(Connection connection, long bytesBefore, long messagesBefore) {
        scheduler.schedule(() -> {
            EndPoint end = connection.getEndPoint();
            if (!end.isOpen() || !connection.equals(end.getConnection())) {
                return;
            }
            long bytes = connection.getBytesIn();
            long messages = connection.getMessagesIn();
            // A message is counted in when its headers are complete, and out when it is answered.
            boolean handling = messages > connection.getMessagesOut();
            if (!handling && messages == messagesBefore && (bytes > bytesBefore || messages == 0)) {
                end.close();
            } else {
                look(connection, bytes, messages);
            }
        }, allowed.toMillis(), TimeUnit.MILLISECONDS);
    }
}
