package dev.belay.server.health;

import dev.belay.Sessions;
import dev.belay.Stats;
import dev.belay.Time;
import dev.belay.access.Capacity;
import dev.belay.access.Gate;
import dev.belay.server.attach.Viewers;
import dev.belay.server.logs.EventLog;
import dev.belay.server.wire.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/// The server's health: live if it answers at all, ready if it can open sessions, and some figures.
public final class Health {
    /// If nothing has gone wrong for this long, the cause is considered gone.
    private static final Duration SETTLED = Duration.ofMinutes(1);

    private final Instant startedAt;
    private final Sessions sessions;
    private final Gate gate;
    private final Viewers viewers;
    private final String version;
    private final EventLog events;
    private final Time time;
    private volatile boolean draining;
    /// Counts that should not grow, as they were at the last look; guarded by the monitor of the troubles.
    private final Map<String, Long> counts = new HashMap<>();
    /// Until when the growth of a count degrades the server, in nanoseconds of the clock; guarded by its own monitor.
    private final Map<String, Long> troubles = new HashMap<>();

    /// @param events the log that says when the server becomes degraded, and when it has recovered
    public Health(
            Sessions sessions, Gate gate, Viewers viewers, String version, EventLog events,
            Time time) {
        this.events = events;
        this.time = time;
        this.startedAt = time.now();
        this.sessions = sessions;
        this.gate = gate;
        this.viewers = viewers;
        this.version = version;
    }

    public void drain() {
        draining = true;
    }

    /// Whether sessions can be opened; one that is full is still ready, it answers with what to do.
    public boolean ready() {
        return !draining;
    }

    /// For everybody.
    public ObjectNode brief() {
        return Json.object().put("status", status()).put("ready", ready());
    }

    /// For those who have signed in.
    public ObjectNode details() {
        Stats stats = sessions.stats();
        Capacity room = gate.room();
        ObjectNode json = brief()
                .put("version", version)
                .put("instance", sessions.instance())
                .put("workspace", sessions.workspace().toString())
                .put("started_at", startedAt.toString())
                .put("uptime_ms", Duration.between(startedAt, time.now()).toMillis());
        json.putObject("sessions")
                .put("live", stats.permitsUsed())
                .put("listed", stats.listed())
                .put("limit", room.sessions())
                .put("limit_reason", room.reason())
                .put("opened", stats.opened())
                .put("closed", stats.closed())
                .put("rejected", stats.rejected())
                .put("leaked", stats.leaked())
                .put("orphans_ended", stats.orphans());
        json.putObject("terminals")
                .put("in_use", room.terminalsInUse() < 0 ? null : room.terminalsInUse())
                .put("limit", room.terminalsMax() < 0 ? null : room.terminalsMax());
        json.putObject("log")
                .put("bytes_logged", stats.bytesLogged())
                .put("bytes_unstored", stats.bytesUnstored());
        json.put("viewers", viewers.list().size()).put("dropped_events", stats.droppedEvents());
        return json;
    }

    private String status() {
        if (draining) {
            return "draining";
        }
        return degraded() ? "degraded" : "ok";
    }

    /// Whether something went wrong within the last minute that should not: output the disk refused, a leak.
    public boolean degraded() {
        look();
        synchronized (troubles) {
            return !troubles.isEmpty();
        }
    }

    /// Notes what has begun or ended to degrade the server since the last look.
    public void look() {
        Stats stats = sessions.stats();
        look("bytes_unstored", stats.bytesUnstored());
        look("leaked", stats.leaked());
    }

    private void look(String cause, long count) {
        String event = null;
        synchronized (troubles) {
            Long before = troubles.get(cause);
            if (count > counts.getOrDefault(cause, 0L)) {
                counts.put(cause, count);
                troubles.put(cause, time.nanos() + SETTLED.toNanos());
                event = before == null ? "degraded" : null;
            } else if (before != null && before - time.nanos() <= 0) {
                troubles.remove(cause);
                event = "recovered";
            }
        }
        if (event != null) {
            events.log(event, Map.of("cause", cause, "count", count));
        }
    }
}
