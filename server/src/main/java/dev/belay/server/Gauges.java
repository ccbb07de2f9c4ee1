package dev.belay.server;

import dev.belay.Session;
import dev.belay.screens.Screens;
import dev.belay.server.metrics.ServerMetrics;
import dev.belay.server.terminal.TerminalDoor;

/// The metrics whose values are looked up when somebody asks for them.
final class Gauges {
    private static final double NANOS = 1e9;

    private Gauges() {}

    static void register(ServerMetrics metrics, Server server) {
        var sessions = server.sessions();
        metrics.gauge("belay_sessions_live", "Sessions that hold a permit", () -> sessions.stats().permitsUsed());
        metrics.gauge("belay_sessions_listed", "Sessions listed, including those that have exited",
                () -> sessions.stats().listed());
        metrics.gauge("belay_sessions_limit", "Sessions allowed now", () -> server.gate().room().sessions());
        metrics.gauge("belay_sessions_held", "Exited sessions whose terminal is still in use by survivors",
                () -> sessions.list().stream().filter(one -> one.exit().isPresent() && !one.drained()).count());
        metrics.gauge("belay_approvals_pending", "Questions about programs that nobody has answered yet",
                () -> sessions.approvals().pending().approvals().size());
        metrics.gauge("belay_permits_used", "Permits in use", () -> sessions.stats().permitsUsed());
        metrics.gauge("belay_permits_limit", "Permits in total", () -> sessions.stats().permitsLimit());
        metrics.gauge("belay_terminals_in_use", "Pseudo-terminals in use on the machine; -1: unknown",
                () -> server.gate().room().terminalsInUse());
        metrics.gauge("belay_terminals_limit", "Pseudo-terminals allowed on the machine; -1: unknown",
                () -> server.gate().room().terminalsMax());
        metrics.gauge("belay_log_bytes", "Bytes of output kept", () -> sessions.list().stream()
                .map(Session::output)
                .mapToLong(log -> log.end() - log.start())
                .sum());
        metrics.count("belay_output_bytes", "Bytes that sessions printed", () -> sessions.stats().bytesLogged());
        metrics.count("belay_output_unstored_bytes", "Bytes that the disk refused",
                () -> sessions.stats().bytesUnstored());
        metrics.count("belay_input_bytes", "Bytes of input accepted", () -> sessions.stats().bytesTaken());
        metrics.count("belay_inputs_repeated", "Inputs that were sent again and not written twice",
                () -> sessions.stats().inputsRepeated());
        metrics.count("belay_observer_dropped_events", "Events that a slow observer missed",
                () -> sessions.stats().droppedEvents());
        metrics.count("belay_orphans_ended", "Processes that earlier runs left and this one ended at its start",
                () -> sessions.stats().orphans());
        metrics.count("belay_loop_turns", "Turns of the event loop that all sessions share",
                () -> sessions.stats().loop().turns());
        metrics.count("belay_loop_busy_seconds", "Time spent in turns of the event loop",
                () -> sessions.stats().loop().busyNanos() / NANOS);
        metrics.gauge("belay_loop_longest_turn_seconds", "Longest turn of the event loop in the last minute or two",
                () -> sessions.stats().loop().longestNanos() / NANOS);
        metrics.gauge("belay_viewers", "Viewers attached", () -> server.viewers().list().size());
        metrics.gauge("belay_viewer_lag_bytes", "Bytes that the slowest viewer is behind", server::largestLag);
        metrics.gauge("belay_sessions_absent", "Terminals that wait for their owner to come back",
                () -> server.viewers().reconnectGrace().count());
        metrics.count("belay_sessions_abandoned", "Terminals closed because their owner did not come back",
                () -> server.viewers().reconnectGrace().ended());
        metrics.gauge("belay_creations_waiting", "Sessions waiting to be created",
                () -> server.gate().waiting());
        metrics.count("belay_creations_rate_limited", "Sessions refused because they came too soon after others",
                () -> server.gate().rateLimited());
        metrics.count("belay_creations_over_quota", "Sessions refused by a quota or for lack of room",
                () -> server.gate().overQuota());
        metrics.count("belay_logins_failed", "Failed sign-ins", () -> server.authority().failures());
        metrics.count("belay_logins_refused", "Sign-ins refused because too many had failed",
                () -> server.authority().refused());
        metrics.count("belay_requests_refused", "Requests refused for their host or origin", server::refusedRequests);
        metrics.gauge("belay_connections_authenticated", "Connections that have signed in",
                () -> server.connections().known());
        metrics.gauge("belay_connections_unauthenticated", "Connections that have not signed in",
                () -> server.connections().strangers());
        metrics.gauge("belay_connections_unauthenticated_limit", "Connections allowed without signing in",
                () -> server.connections().limit());
        metrics.count("belay_connections_crowded_out", "Connections closed because too many had not signed in",
                () -> server.connections().crowdedOut());
        metrics.gauge("belay_degraded", "1 while the server is degraded", () -> server.health().degraded() ? 1 : 0);
        metrics.gauge("belay_feed_waiting", "Clients waiting for changes of the lists",
                () -> server.feed().watchers());
        metrics.gauge("belay_feed_sessions", "Sessions whose versions are kept for clients",
                () -> server.feed().remembered());
        metrics.count("belay_feed_changes", "Changes of sessions reported to clients", () -> server.feed().changes());
        metrics.count("belay_feed_events", "Events recorded for clients",
                () -> server.feed().history().count());
        metrics.count("belay_feed_input_looks", "Checks whether a session waits for input",
                () -> server.feed().inputLooks());
        screens(metrics, server.screens());
        socketIo(metrics, server.terminals());
    }

    private static void screens(ServerMetrics metrics, Screens screens) {
        metrics.gauge("belay_screens_warm", "Screens kept ready",
                () -> screens.stats().warmScreens());
        metrics.gauge("belay_screens_warm_bytes", "Memory of the screens kept ready",
                () -> screens.stats().warmBytes());
        metrics.gauge("belay_screen_checkpoints", "Folded screens", () -> screens.stats().checkpoints());
        metrics.gauge("belay_screen_checkpoint_bytes", "Memory of folded screens",
                () -> screens.stats().checkpointBytes());
        metrics.count("belay_screen_looks", "Looks at screens, repaints and thumbnails", () -> screens.stats().looks());
        metrics.count("belay_screen_answers", "Questions to the terminal that were answered",
                () -> screens.stats().answers());
        metrics.count("belay_screen_unanswered", "Questions to the terminal that came too late or too often",
                () -> screens.stats().unanswered());
        metrics.count("belay_screen_late_scans", "Times that output was too much to search for questions",
                () -> screens.stats().lateScans());
        metrics.gauge("belay_screen_masks", "Viewers whose output is masked", () -> screens.stats().masks());
    }

    private static void socketIo(ServerMetrics metrics, TerminalDoor door) {
        metrics.gauge("belay_socketio_connections", "Socket.IO connections", () -> door.stats().connections());
        metrics.gauge("belay_socketio_unauthenticated", "Socket.IO connections that have not signed in",
                () -> door.stats().strangers());
        metrics.gauge("belay_socketio_websockets", "Socket.IO connections over WebSocket",
                () -> door.stats().webSockets());
        metrics.gauge("belay_socketio_clients", "Socket.IO clients signed in", () -> door.stats().sockets());
        metrics.gauge("belay_socketio_pending_bytes", "Bytes waiting for Socket.IO clients to read them",
                () -> door.stats().pendingBytes());
        metrics.count("belay_socketio_opened", "Socket.IO connections opened", () -> door.stats().opened());
        metrics.count("belay_socketio_refused", "Socket.IO handshakes refused", () -> door.stats().refused());
        metrics.count("belay_socketio_upgrades", "Socket.IO connections that went from polling to a WebSocket",
                () -> door.stats().upgrades());
        metrics.count("belay_socketio_closed", "Socket.IO connections closed, by reason", "reason",
                () -> door.stats().closed());
    }
}
