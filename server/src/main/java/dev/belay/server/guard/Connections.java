package dev.belay.server.guard;

import dev.belay.server.logs.EventLog;
import dev.belay.server.settings.ServerSettings.HttpLimits;
import dev.belay.socketio.Strangers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/// The network connections of the port. Those on which nobody has signed in have a small budget of their own, so they
/// never take the place of those that have: the port keeps accepting, and the oldest strangers are closed.
///
/// Beyond the room of those that have signed in, a connection stays a stranger. So health and metrics always answer.
/// The monitor guards the tables only.
public final class Connections {
    private final int mostKnown;
    private final HttpLimits limits;
    private final EventLog events;
    private final Strangers<EndPoint> strangers;
    private final Set<EndPoint> known = new HashSet<>();
    /// Strangers that were asked to go and are still there.
    private final Deque<EndPoint> leaving = new ArrayDeque<>();
    private final LongAdder crowdedOut = new LongAdder();

    public Connections(HttpLimits limits, EventLog events) {
        this.limits = limits;
        this.events = events;
        this.strangers = new Strangers<>(limits.unauthenticated(), limits.maxUnauthenticatedPerAddress());
        // Those that are asked to go may need a moment.
        this.mostKnown = Math.max(1, limits.maxConnections() - 2 * limits.unauthenticated());
    }

    /// A connection was accepted.
    public void opened(EndPoint one) {
        EndPoint oldest = strangers.enter(one.getRemoteSocketAddress(), one);
        if (oldest != null) {
            crowdedOut.increment();
            events.seldom("connections_full", address(one), Map.of(
                    "address", address(one),
                    "limit", limits.unauthenticated(),
                    "limit_per_address", limits.maxUnauthenticatedPerAddress(),
                    "reason", "too many connections that have not signed in; the oldest are closed"));
            askToGo(oldest);
        }
    }

    public synchronized void closed(EndPoint one) {
        strangers.leave(one);
        known.remove(one);
        leaving.remove(one);
    }

    /// Somebody has signed in by a request of this connection.
    public static void signedIn(Request request) {
        if (request.getAttribute(Connections.class.getName()) instanceof Connections all) {
            all.signedIn(network(request));
        }
    }

    /// What to run once the client that sent a request has signed in.
    public Runnable line(Request request) {
        EndPoint one = network(request);
        return () -> signedIn(one);
    }

    /// Attaches itself to a request, for its handlers.
    void mark(Request request) {
        request.setAttribute(Connections.class.getName(), this);
    }

    private void signedIn(EndPoint one) {
        boolean full;
        synchronized (this) {
            if (known.contains(one) || !one.isOpen()) {
                return;
            }
            full = known.size() >= mostKnown;
            if (!full && strangers.leave(one)) {
                known.add(one);
            }
        }
        if (full) {
            events.seldom("connections_full", "signed in", Map.of(
                    "limit", mostKnown,
                    "reason", "too many connections that have signed in; more of them may be closed at any time"));
        }
    }

    /// Ends what comes in on a connection, so that its own thread sees the end and closes it: nobody else may touch
    /// what that thread is reading. One that does not go because it is writing is cut off when too many others wait.
    private void askToGo(EndPoint one) {
        EndPoint cut;
        synchronized (this) {
            leaving.addLast(one);
            cut = leaving.size() > limits.unauthenticated() ? leaving.removeFirst() : null;
        }
        if (cut != null) {
            cut.close();
        }
        try {
            if (one instanceof SocketChannelEndPoint socket) {
                socket.getChannel().shutdownInput();
            }
        } catch (IOException _) {
            one.close();
        }
    }

    private static EndPoint network(Request request) {
        EndPoint one = request.getConnectionMetaData().getConnection().getEndPoint();
        while (one instanceof EndPoint.Wrapper wrapper) {
            one = wrapper.unwrap();
        }
        return one;
    }

    private static String address(@Nullable EndPoint one) {
        return one != null && one.getRemoteSocketAddress() instanceof InetSocketAddress remote
                ? remote.getAddress().getHostAddress()
                : "unknown";
    }

    /// How many connections there may be on which nobody has signed in.
    public int limit() {
        return limits.unauthenticated();
    }

    /// Connections that have not signed in.
    public int strangers() {
        return strangers.size();
    }

    /// Connections on which somebody has.
    public synchronized int known() {
        return known.size();
    }

    /// Connections closed because too many had not signed in.
    public long crowdedOut() {
        return crowdedOut.sum();
    }
}
