package dev.belay.server.terminal;

import dev.belay.ErrorCode;
import dev.belay.Mode;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.access.ActorSessions;
import dev.belay.screens.Screens;
import dev.belay.screens.Since;
import dev.belay.screens.Thumbnail;
import dev.belay.server.wire.ScreenJson;
import dev.belay.socketio.Socket;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/// Sends a client thumbnails of some sessions: each `thumbnail` has the rows that have changed, at most twice a second.
/// Its sender is one virtual thread; what the client does not take in time is not sent later.
final class ThumbnailWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.belay.server");
    private static final Duration WAIT = Duration.ofSeconds(2);
    /// How long before it looks again for sessions that it has not found yet.
    private static final Duration PAUSE = Duration.ofMillis(250);

    private final Socket socket;
    private final Outgoing outgoing;
    private final Screens screens;
    private final ActorSessions view;
    private final List<String> names;
    private final Thread sender;
    /// What the client has of each session, by its identity. Owned by the sender, and then by its successor.
    private Map<String, Long> sent = new HashMap<>();
    /// Open until its last message was sent.
    private @Nullable ThumbnailWatch before;

    /// @param names  the sessions as `ID` or `OWNER/ID`
    /// @param before what this replaces; its client still has what it was sent of the same sessions
    ThumbnailWatch(
            Socket socket,
            Outgoing outgoing,
            Screens screens,
            ActorSessions view,
            List<String> names,
            @Nullable ThumbnailWatch before) {
        this.socket = socket;
        this.outgoing = outgoing;
        this.screens = screens;
        this.view = view;
        this.names = List.copyOf(names);
        this.before = before;
        this.sender = Thread.ofVirtual().name("belay-thumbnails").unstarted(this::run);
    }

    void start() {
        sender.start();
    }

    private void run() {
        try {
            if (before != null) {
                before.sender.join();
                sent = before.sent;
            }
            while (!Thread.currentThread().isInterrupted()) {
                step();
            }
        } catch (InterruptedException _) {
            // The client watches others, or has gone.
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a client accepts no thumbnails", e);
            socket.close();
        } catch (SessionException e) {
            if (e.code() != ErrorCode.UNAUTHENTICATED) {
                LOG.log(System.Logger.Level.WARNING, "cannot send thumbnails to a client", e);
            }
            socket.close();
        } finally {
            before = null;
        }
    }

    /// Sends what has changed, or waits for it.
    private void step() throws IOException, InterruptedException {
        List<Since> asked = new ArrayList<>();
        for (String name : names) {
            Session session = find(name);
            if (session != null && session.spec().mode() instanceof Mode.Pty) {
                asked.add(new Since(session, sent.getOrDefault(session.identity(), 0L)));
            }
        }
        List<String> wanted = asked.stream().map(one -> one.session().identity()).toList();
        sent.keySet().retainAll(wanted);
        boolean some = false;
        for (Thumbnail one : screens.thumbnails(asked, WAIT)) {
            Long known = sent.get(one.session().identity());
            // Of a session that has printed nothing, there is always one.
            if (known == null || known != one.snapshot().offset()) {
                some = true;
                ObjectNode json = ScreenJson.of(one.session(), one.snapshot(), one.changed());
                outgoing.send(() -> socket.emit("thumbnail", json));
                sent.put(one.session().identity(), one.snapshot().offset());
            }
        }
        if (!some) {
            Thread.sleep(PAUSE);
        }
    }

    private @Nullable Session find(String name) {
        try {
            int slash = name.indexOf('/');
            return slash < 0
                    ? view.see(name, null)
                    : view.see(name.substring(slash + 1), name.substring(0, slash));
        } catch (SessionException e) {
            if (e.code() == ErrorCode.UNAUTHENTICATED) {
                throw e;
            }
            return null; // not there yet, no longer, or somebody else's
        }
    }

    /// Sends nothing more.
    @Override
    public void close() {
        sender.interrupt();
    }
}
