package dev.belay.server.health;

import dev.belay.Sessions;
import dev.belay.Stats;
import dev.belay.server.Capacity;
import dev.belay.server.Json;
import dev.belay.server.attach.Viewers;
import dev.belay.server.auth.Admission;
import java.time.Duration;
import java.time.Instant;
import tools.jackson.databind.node.ObjectNode;

/// How the server is: live if it answers at all, ready if it can open sessions, and the numbers to look at.
public final class Health {
    private final Instant startedAt = Instant.now();
    private final Sessions sessions;
    private final Admission admission;
    private final Viewers viewers;
    private final String version;
    private volatile boolean draining;

    public Health(Sessions sessions, Admission admission, Viewers viewers, String version) {
        this.sessions = sessions;
        this.admission = admission;
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
        Capacity room = admission.room();
        ObjectNode json = brief()
                .put("version", version)
                .put("instance", sessions.instance())
                .put("started_at", startedAt.toString())
                .put("uptime_ms", Duration.between(startedAt, Instant.now()).toMillis());
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
        Stats stats = sessions.stats();
        return stats.bytesUnstored() > 0 || stats.leaked() > 0 ? "degraded" : "ok";
    }
}
