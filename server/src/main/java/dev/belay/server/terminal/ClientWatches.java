package dev.belay.server.terminal;

import dev.belay.Quoted;
import dev.belay.server.auth.Login;
import dev.belay.server.feed.ListReader;
import dev.belay.server.wire.RequestFields;
import dev.belay.server.wire.Requests;
import dev.belay.socketio.Ack;
import dev.belay.socketio.Socket;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/// What else one client watches, apart from the sessions it is attached to: lists, and the screens of many sessions.
/// The monitor guards which.
final class ClientWatches {
    /// The most screens at once.
    private static final int MOST_SCREENS = 64;

    private final TerminalDoor door;
    private final Socket socket;
    private final Login login;
    private final Outgoing outgoing;
    private @Nullable ListWatch lists;
    private @Nullable ThumbnailWatch screens;

    ClientWatches(TerminalDoor door, Socket socket, Login login, Outgoing outgoing) {
        this.door = door;
        this.socket = socket;
        this.login = login;
        this.outgoing = outgoing;
    }

    /// Watches these lists instead of earlier ones; none: watches nothing.
    @Nullable ObjectNode lists(RequestFields body, Ack ack) {
        List<String> wanted = body.texts("lists")
                .orElseThrow(() -> Requests.invalid("Name the lists to watch: [\"sessions\"]."));
        OptionalLong since = number(body, "since");
        OptionalLong eventsSince = number(body, "events_since");
        body.requireNoMore();
        for (String list : wanted) {
            if (!ListReader.LISTS.contains(list)) {
                throw Requests.invalid("There is no list " + Quoted.of(list) + "; use one of "
                        + String.join(", ", ListReader.LISTS) + ".");
            }
        }
        ack.reply(EventReplies.ok());
        replace(wanted.isEmpty()
                ? null
                : new ListWatch(socket, outgoing, new ListReader(
                        door.feed, door.access.of(login), Set.copyOf(wanted), since, eventsSince)));
        return null;
    }

    /// Watches these screens instead of earlier ones; none: watches nothing.
    @Nullable ObjectNode screens(RequestFields body, Ack ack) {
        List<String> ids = body.texts("ids")
                .orElseThrow(() -> Requests.invalid("Name the sessions to watch: ids, each as ID or OWNER/ID."));
        body.requireNoMore();
        if (ids.size() > MOST_SCREENS) {
            throw Requests.invalid(
                    "One client gets at most " + MOST_SCREENS + " screens, not " + ids.size() + "; name fewer.");
        }
        ack.reply(EventReplies.ok());
        replaceScreens(ids);
        return null;
    }

    private static OptionalLong number(RequestFields body, String name) {
        return body.number(name).map(OptionalLong::of).orElse(OptionalLong.empty());
    }

    private synchronized void replace(@Nullable ListWatch next) {
        if (lists != null) {
            lists.close();
        }
        lists = socket.connected() ? next : null;
        if (lists != null) {
            lists.start();
        }
    }

    private synchronized void replaceScreens(List<String> ids) {
        ThumbnailWatch before = screens;
        if (before != null) {
            before.close();
        }
        screens = ids.isEmpty() || !socket.connected()
                ? null
                : new ThumbnailWatch(socket, outgoing, door.screens, door.access.of(login), ids, before);
        if (screens != null) {
            screens.start();
        }
    }

    /// The client has gone.
    void end() {
        replace(null);
        replaceScreens(List.of());
    }
}
