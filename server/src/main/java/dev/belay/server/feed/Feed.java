package dev.belay.server.feed;

import dev.belay.Deadline;
import dev.belay.Doorbell;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionKey;
import dev.belay.SessionObserver;
import dev.belay.SessionRecord;
import dev.belay.SessionSpec;
import dev.belay.SessionState;
import dev.belay.Sessions;
import dev.belay.Time;
import dev.belay.access.ActorSessions;
import dev.belay.access.Capacity;
import dev.belay.host.Uninterrupted;
import dev.belay.screens.Screens;
import dev.belay.server.attach.DetachReason;
import dev.belay.server.attach.Viewer;
import dev.belay.server.attach.ViewerListener;
import dev.belay.server.attach.Viewers;
import dev.belay.server.feed.ListedSession.Watching;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What changes in all sessions: one observer of sessions, viewers and keyboards that numbers every change.
///
/// Nothing is queued. A reader says which version it has and gets what has changed since; one that is slow gets fewer,
/// larger changes. Every read looks at the sessions itself. While somebody waits, the thread `belay-feed` looks too: at
/// the sessions that something has happened to, at once, at all of them once a second, and at who waits for input.
/// While nobody waits there is no thread, and the feed costs nothing.
public final class Feed implements SessionObserver, ViewerListener, AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.belay.server");

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long SECOND_NANOS = SECOND.toNanos();
    /// What happens within this time is one change.
    private static final Duration PACE = Duration.ofMillis(50);
    /// How long the thread stays after the last reader has gone: most come back at once.
    private static final long LINGER_NANOS = 5 * SECOND_NANOS;
    /// How long versions are remembered for readers that do not wait.
    private static final long FORGET_NANOS = 60 * SECOND_NANOS;
    /// How often survivors are counted, which looks at all processes of the machine.
    private static final long SURVIVORS_SECONDS = 5;

    private final Sessions sessions;
    private final Time time;
    private final Viewers viewers;
    private final Screens screens;
    private final SessionList list;
    private final InputLooks looks = new InputLooks();
    /// The list has changed.
    private final Doorbell changed = new Doorbell();
    /// Something has happened that the thread should look at.
    private final Doorbell signals = new Doorbell();
    private final Statistics statistics;
    private final History history;
    private final Set<SessionKey> touched = ConcurrentHashMap.newKeySet();
    private volatile long readNanos;
    private volatile boolean closed;

    // Guarded by this.
    private int watchers;
    private long leftNanos;
    private @Nullable Thread thread;
    private volatile boolean watched;

    /// Starts to follow sessions and viewers. Close it before the sessions.
    ///
    /// @param room how many sessions there may be now
    public Feed(Sessions sessions, Viewers viewers, Screens screens, Supplier<Capacity> room, Time time) {
        this.sessions = sessions;
        this.time = time;
        this.list = new SessionList(time.now().toEpochMilli());
        this.viewers = viewers;
        this.screens = screens;
        this.readNanos = time.nanos();
        this.statistics = new Statistics(sessions, viewers, room, changed);
        this.history = new History(time, changed);
        viewers.addListener(this);
        viewers.addListener(history);
        observers().forEach(sessions::addObserver);
        sessions.approvals().addListener(history);
    }

    private List<SessionObserver> observers() {
        return List.of(this, statistics, history);
    }

    // --- reading ---

    /// What has changed after a version, for somebody; everything if that is empty, too old or from another run. Waits
    /// if nothing has.
    public Changes since(ActorSessions view, OptionalLong since, Duration wait) throws InterruptedException {
        readNanos = time.nanos();
        if (since.isEmpty()) {
            return all(view);
        }
        refresh(false);
        Changes now = visible(view, list.since(since));
        if (!now.none() || !wait.isPositive()) {
            return now;
        }
        Deadline deadline = Deadline.in(time, wait);
        try (var _ = watch()) {
            while (true) {
                long rings = changed.rings();
                now = visible(view, list.since(OptionalLong.of(now.version())));
                view.requireSignedIn();
                if (!now.none() || deadline.passed() || closed) {
                    return now;
                }
                changed.await(rings, deadline);
            }
        }
    }

    /// What has changed after a version, as far as it is known: somebody waits, so the thread looks.
    Changes known(ActorSessions view, OptionalLong since) {
        readNanos = time.nanos();
        return visible(view, list.since(since));
    }

    /// What has happened after an event; see [History#since]. Waits if nothing has.
    public History.Events events(
            ActorSessions view, OptionalLong since, @Nullable String session, Duration wait)
            throws InterruptedException {
        Deadline deadline = Deadline.in(time, wait);
        while (true) {
            long rings = changed.rings();
            History.Events now = history.since(view, since, session);
            if (now.all() || !now.events().isEmpty() || deadline.passed() || closed) {
                return now;
            }
            changed.await(rings, deadline);
            view.requireSignedIn();
        }
    }

    public Statistics statistics() {
        return statistics;
    }

    public History history() {
        return history;
    }

    /// Rings when a list has changed.
    Doorbell changed() {
        return changed;
    }

    /// All sessions as they are now.
    public Changes all(ActorSessions view) {
        readNanos = time.nanos();
        Map<SessionKey, ListedSession> fresh = refresh(true);
        Changes known = list.since(OptionalLong.empty());
        List<Changes.Change> sessionsNow = new ArrayList<>();
        for (Changes.Change change : known.sessions()) {
            ListedSession now = fresh.getOrDefault(SessionKey.of(change.shown().record()), change.shown());
            sessionsNow.add(new Changes.Change(now, change.version(), true));
        }
        return visible(view, new Changes(known.version(), true, sessionsNow, List.of()));
    }

    /// One session as it is now.
    public Changes.Change show(Session session) {
        ListedSession now = look(session, viewing());
        SessionKey key = SessionKey.of(session);
        list.put(key, session.identity(), now, list.ticket(), time.nanos());
        Long version = list.version(key);
        return new Changes.Change(now, version == null ? list.version() : version, true);
    }

    private static Changes visible(ActorSessions view, Changes all) {
        return new Changes(
                all.version(),
                all.all(),
                all.sessions().stream()
                        .filter(one -> view.sees(one.shown().record().owner()))
                        .sorted((one, other) -> key(one).compareTo(key(other)))
                        .toList(),
                all.gone().stream().filter(one -> view.sees(one.owner())).toList());
    }

    private static SessionKey key(Changes.Change change) {
        return SessionKey.of(change.shown().record());
    }

    // --- looking ---

    /// Looks at all sessions.
    ///
    /// @param survivors whether to count survivors again, which looks at all processes of the machine
    private Map<SessionKey, ListedSession> refresh(boolean survivors) {
        long ticket = list.ticket();
        long now = time.nanos();
        long before = list.version();
        Map<String, List<Watching>> viewing = viewing();
        Map<SessionKey, ListedSession> fresh = new HashMap<>();
        Set<SessionKey> listed = new HashSet<>();
        for (Session session : sessions.list()) {
            SessionKey key = SessionKey.of(session);
            listed.add(key);
            if (survivors || !knownToBeHeld(key, session)) {
                ListedSession shown = look(session, viewing);
                fresh.put(key, shown);
                list.put(key, session.identity(), shown, ticket, now);
            }
        }
        list.retain(listed, ticket);
        ringIfAfter(before);
        return fresh;
    }

    /// Looks at the sessions that something has happened to.
    private void refreshTouched() {
        if (touched.isEmpty()) {
            return;
        }
        long ticket = list.ticket();
        long before = list.version();
        Map<String, List<Watching>> viewing = viewing();
        for (SessionKey key : Set.copyOf(touched)) {
            touched.remove(key);
            sessions.find(key.id(), key.owner()).ifPresentOrElse(
                    session -> list.put(
                            key, session.identity(), look(session, viewing), ticket, time.nanos()),
                    () -> list.gone(key, ticket));
        }
        ringIfAfter(before);
    }

    /// Whether it has exited, survivors hold its terminal, and readers know that.
    private boolean knownToBeHeld(SessionKey key, Session session) {
        ListedSession known = list.shown(key, session.identity());
        return known != null && known.record().state() == SessionState.EXITED && !session.drained();
    }

    private ListedSession look(Session session, Map<String, List<Watching>> viewing) {
        return ListedSession.of(
                session,
                screens.title(session),
                looks.state(session),
                viewing.getOrDefault(session.identity(), List.of()));
    }

    /// Who views what, by the identity of the session.
    private Map<String, List<Watching>> viewing() {
        Map<String, List<Watching>> all = new HashMap<>();
        for (Viewer viewer : viewers.list()) {
            all.computeIfAbsent(viewer.session().identity(), _ -> new ArrayList<>()).add(Watching.of(viewer));
        }
        all.values().forEach(one -> one.sort(Watching.ORDER));
        return all;
    }

    private void ringIfAfter(long version) {
        if (list.version() != version) {
            changed.ring();
        }
    }

    // --- what happens, on the threads where it does ---

    private void touch(SessionKey key) {
        if (watched) {
            touched.add(key);
            signals.ring();
        }
    }

    @Override
    public void opened(SessionRecord session) {
        touch(SessionKey.of(session));
    }

    @Override
    public void exited(SessionRecord session) {
        touch(SessionKey.of(session));
    }

    @Override
    public void closed(SessionRecord session) {
        touch(SessionKey.of(session));
    }

    @Override
    public void keyboard(String owner, String id, @Nullable String holder, boolean isPrivate) {
        touch(new SessionKey(id, owner));
    }

    @Override
    public void output(String owner, String id, long end) {
        if (watched && looks.printed(new SessionKey(id, owner), time.nanos())) {
            signals.ring();
        }
    }

    @Override
    public void came(Viewer viewer) {
        touch(SessionKey.of(viewer.session()));
    }

    @Override
    public void left(Viewer viewer, DetachReason why) {
        touch(SessionKey.of(viewer.session()));
    }

    // --- the thread, while somebody waits ---

    /// Somebody waits, until this is closed.
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    synchronized Watch watch() {
        watchers++;
        watched = true;
        if (thread == null && !closed) {
            thread = Thread.ofVirtual().name("belay-feed").start(this::run);
        }
        return this::unwatch;
    }

    private synchronized void unwatch() {
        watchers--;
        leftNanos = time.nanos();
    }

    /// @return false if the thread should end, because nobody has waited for a while
    private synchronized boolean stays() {
        boolean stays = !closed && (watchers > 0 || time.nanos() - leftNanos < LINGER_NANOS);
        if (!stays) {
            thread = null;
            watched = false;
            looks.forget();
            touched.clear();
        }
        return stays;
    }

    private void run() {
        for (long pass = 0; stays(); pass++) {
            try {
                second(pass % SURVIVORS_SECONDS == 0);
            } catch (RuntimeException | Error e) {
                LOG.log(System.Logger.Level.WARNING, "the feed could not look at the sessions", e);
                Uninterrupted.run(() -> signals.await(signals.rings(), Deadline.in(time, SECOND)));
            }
        }
    }

    /// Looks at everything, and for the rest of a second at what happens.
    private void second(boolean survivors) {
        long end = time.nanos() + SECOND_NANOS;
        looks.follow(sessions.list(), time.nanos());
        refresh(survivors);
        while (!closed && end - time.nanos() > 0) {
            Uninterrupted.run(() -> step(end));
        }
    }

    /// Does what is due before the next look at everything, and waits for more.
    private void step(long end) throws InterruptedException {
        long rings = signals.rings();
        long now = time.nanos();
        for (SessionKey key : looks.due(now)) {
            sessions.find(key.id(), key.owner()).ifPresentOrElse(
                    session -> {
                        if (looks.look(session, () -> screens.restsAtPrompt(session), now)) {
                            touched.add(key);
                        }
                    },
                    () -> looks.forget(key));
        }
        refreshTouched();
        time.sleep(PACE);
        signals.await(rings, Deadline.in(time, Duration.ofNanos(looks.nanosToNext(time.nanos(), end - time.nanos()))));
    }

    /// Makes all waiting readers check whether they are still allowed to read.
    public void recheck() {
        changed.ring();
    }

    /// A session was refused before the sessions themselves were asked.
    public void refused(SessionSpec spec, SessionException why) {
        statistics.rejected(spec, why.code(), String.valueOf(why.getMessage()));
        history.rejected(spec, why.code(), String.valueOf(why.getMessage()));
    }

    /// Counts a second, and forgets what nobody has asked for in a while. Call it once a second.
    public void tick() {
        statistics.tick(time.now().getEpochSecond());
        history.tick();
        boolean unread;
        synchronized (this) {
            unread = thread == null && watchers == 0 && time.nanos() - readNanos > FORGET_NANOS;
        }
        if (unread && list.size() > 0) {
            list.forget();
        }
    }

    /// Ends all waits.
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            running = thread;
        }
        observers().forEach(sessions::removeObserver);
        sessions.approvals().removeListener(history);
        signals.ring();
        changed.ring();
        if (running != null) {
            Uninterrupted.run(running::join);
        }
    }

    public boolean closed() {
        return closed;
    }

    // --- numbers ---

    /// How many readers wait for a change.
    public synchronized int watchers() {
        return watchers;
    }

    /// How many sessions are remembered for readers.
    public int remembered() {
        return list.size();
    }

    /// How often somebody looked whether a session waits for input.
    public long inputLooks() {
        return looks.count();
    }

    /// How many changes there were.
    public long changes() {
        return list.changes();
    }
}
