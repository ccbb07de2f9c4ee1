package dev.belay.server.feed;

import dev.belay.Actor;
import dev.belay.Doorbell;
import dev.belay.ErrorCode;
import dev.belay.Mode;
import dev.belay.Session;
import dev.belay.SessionKey;
import dev.belay.SessionObserver;
import dev.belay.SessionRecord;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.access.ActorSessions;
import dev.belay.access.Capacity;
import dev.belay.server.attach.Viewer;
import dev.belay.server.attach.Viewers;
import dev.belay.server.wire.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/// The last ten minutes, second by second: how many sessions there were and what they did, in total and per owner.
///
/// A second is counted whether or not somebody reads, which takes microseconds. It is bounded by the number of seconds
/// and of owners that have sessions. The monitor guards the counts and the seconds.
public final class Statistics implements SessionObserver {
    /// How many seconds are kept.
    static final int SECONDS = 600;

    private final Sessions sessions;
    private final Viewers viewers;
    private final Supplier<Capacity> room;
    private final Doorbell bell;
    private final Deque<Second> seconds = new ArrayDeque<>();
    private Map<String, Counts> counts = new HashMap<>();
    /// How far the output of each session was counted.
    private final Map<SessionKey, Long> printed = new HashMap<>();
    private long last;

    /// What the sessions of one owner, or of all, did in a second.
    private static final class Counts {
        int live;
        int terminals;
        int viewers;
        long opened;
        long refused;
        long bytesIn;
        long bytesOut;

        void add(Counts other) {
            live += other.live;
            terminals += other.terminals;
            viewers += other.viewers;
            opened += other.opened;
            refused += other.refused;
            bytesIn += other.bytesIn;
            bytesOut += other.bytesOut;
        }
    }

    /// One second. It is not changed once it is in the list.
    ///
    /// @param at    when it ended, in seconds since 1970
    /// @param limit how many sessions there could have been
    private record Second(long at, int limit, Counts all, Map<String, Counts> byOwner) {}

    Statistics(Sessions sessions, Viewers viewers, Supplier<Capacity> room, Doorbell bell) {
        this.sessions = sessions;
        this.viewers = viewers;
        this.room = room;
        this.bell = bell;
        sessions.list().forEach(session -> printed.put(SessionKey.of(session), session.output().end()));
    }

    // --- counting ---

    private Counts of(String owner) {
        return counts.computeIfAbsent(owner, _ -> new Counts());
    }

    @Override
    public synchronized void opened(SessionRecord session) {
        of(session.owner()).opened++;
        printed.put(SessionKey.of(session), 0L);
    }

    @Override
    public synchronized void rejected(SessionSpec spec, ErrorCode code, String message) {
        of(spec.owner()).refused++;
    }

    @Override
    public synchronized void typed(String owner, String id, Actor by, long bytes) {
        of(owner).bytesIn += bytes;
    }

    @Override
    public synchronized void output(String owner, String id, long end) {
        count(new SessionKey(id, owner), end);
    }

    @Override
    public synchronized void closed(SessionRecord session) {
        count(SessionKey.of(session), session.outputEnd());
        printed.remove(SessionKey.of(session));
    }

    private void count(SessionKey key, long end) {
        Long before = printed.get(key);
        if (before != null && end > before) {
            printed.put(key, end);
            of(key.owner()).bytesOut += end - before;
        }
    }

    /// A second is over. Call it once a second.
    ///
    /// @param now in seconds since 1970
    public void tick(long now) {
        int limit = room.get().sessions();
        List<Session> all = sessions.list();
        List<Viewer> views = viewers.list();
        synchronized (this) {
            if (now <= last) {
                return;
            }
            last = now;
            all.stream().filter(session -> !session.drained()).forEach(session -> {
                Counts own = of(session.spec().owner());
                own.live++;
                own.terminals += session.spec().mode() instanceof Mode.Pty ? 1 : 0;
            });
            views.forEach(viewer -> of(viewer.session().spec().owner()).viewers++);
            Counts sum = new Counts();
            counts.values().forEach(sum::add);
            seconds.add(new Second(now, limit, sum, counts));
            counts = new HashMap<>();
            if (seconds.size() > SECONDS) {
                seconds.remove();
            }
        }
        bell.ring();
    }

    // --- reading ---

    /// The seconds after a time, as somebody may see them: users see only their own sessions.
    ///
    /// @param since in seconds since 1970; empty: all that are kept
    public List<ObjectNode> since(ActorSessions view, OptionalLong since) {
        List<Second> wanted;
        synchronized (this) {
            wanted = seconds.stream().filter(one -> one.at() > since.orElse(Long.MIN_VALUE)).toList();
        }
        String owner = view.actor().name();
        boolean all = view.seesAll();
        List<ObjectNode> shown = new ArrayList<>();
        for (Second one : wanted) {
            Counts mine = all ? one.all() : one.byOwner().getOrDefault(owner, new Counts());
            shown.add(Json.object()
                    .put("at", one.at())
                    .put("live", mine.live)
                    .put("limit", all ? one.limit() : Math.min(one.limit(), view.quota().sessions()))
                    .put("opened", mine.opened)
                    .put("refused", mine.refused)
                    .put("bytes_in", mine.bytesIn)
                    .put("bytes_out", mine.bytesOut)
                    .put("viewers", mine.viewers)
                    .put("terminals", mine.terminals));
        }
        return shown;
    }

    /// How many seconds are kept.
    public synchronized int kept() {
        return seconds.size();
    }
}
