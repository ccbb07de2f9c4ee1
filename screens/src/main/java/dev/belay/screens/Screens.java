package dev.belay.screens;

import com.google.re2j.Pattern;
import dev.belay.Actor;
import dev.belay.ErrorCode;
import dev.belay.Mode;
import dev.belay.OutputLog;
import dev.belay.PrivateRange;
import dev.belay.Regex;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionKey;
import dev.belay.SessionObserver;
import dev.belay.SessionRecord;
import dev.belay.SessionState;
import dev.belay.Sessions;
import dev.belay.Size;
import dev.belay.Time;
import dev.belay.screen.Colours;
import dev.belay.screen.Scanner;
import dev.belay.screen.Screen;
import dev.belay.screen.Sight;
import dev.belay.screen.Snapshot;
import dev.belay.screens.Thumbnails.Asked;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/// The screens of the sessions of one [Sessions]: what a person would see of their output.
///
/// A screen is one more reader of the log. It costs next to nothing until somebody looks, and answers the questions
/// that programs ask their terminal. Everything is shown as the actor of the handle that is passed in may see it: what
/// was printed privately is blank for others until something public is printed over it.
///
/// Every method may be called from any thread. Sessions on pipes have no screen: methods that need one throw
/// `INVALID_REQUEST`; for a session that was closed, `NOT_FOUND`.
public final class Screens implements SessionObserver, AutoCloseable {
    private final Sessions sessions;
    private final ScreensLimits limits;
    private final Time time;
    private final Counts counts = new Counts();
    private final Map<SessionKey, SessionScreen> all = new ConcurrentHashMap<>();
    private final ScreenThread thread;
    private volatile boolean closed;

    /// With the default limits.
    public Screens(Sessions sessions) {
        this(sessions, ScreensLimits.DEFAULT);
    }

    /// Begins to follow the output of sessions. Close it before them.
    public Screens(Sessions sessions, ScreensLimits limits) {
        this(sessions, limits, sessions.time());
    }

    Screens(Sessions sessions, ScreensLimits limits, Time time) {
        this.sessions = sessions;
        this.limits = limits;
        this.time = time;
        this.thread = new ScreenThread(limits, time, this::tidy);
        // What they have printed so far is not scanned for questions: it was asked long ago.
        for (Session session : sessions.list()) {
            if (session.spec().mode() instanceof Mode.Pty && session.state() != SessionState.CLOSED) {
                kept(session, true);
            }
        }
        sessions.addObserver(this);
    }

    /// The time that screens go by.
    Time time() {
        return time;
    }

    // --- look ---

    /// What the screen shows now.
    public Snapshot look(Session session) {
        return look(session, OptionalLong.empty(), 0);
    }

    /// What the screen shows now, or what it showed when the output had reached an offset.
    public Snapshot look(Session session, OptionalLong offset) {
        return look(session, offset, 0);
    }

    /// As [#look(Session, OptionalLong)], with up to a number of rows above the screen. The screen keeps 200; for more,
    /// up to 4 MiB of output are played again.
    ///
    /// @param offset empty for now; otherwise from the log's start to its end, or `INVALID_REQUEST`
    public Snapshot look(Session session, OptionalLong offset, int history) {
        return look(session, offset, history, (screen, sight) -> screen.snapshot(sight, history));
    }

    /// Brings a terminal to the state of the screen now.
    ///
    /// @param history how many rows above the screen to add, at most
    public Repaint repaint(Session session, int history) {
        return repaint(session, OptionalLong.empty(), history);
    }

    /// As [#repaint(Session, int)], at an offset.
    public Repaint repaint(Session session, OptionalLong offset, int history) {
        OutputLog log = session.output();
        return look(session, offset, history, (screen, sight) -> {
            long pending = screen.pending(sight);
            return new Repaint(
                    // What was begun and is not in the log any more can only be left out.
                    pending < log.start() ? screen.offset() : pending,
                    new Size(screen.cols(), screen.rows()),
                    screen.picture(sight, history));
        });
    }

    private <T> T look(Session session, OptionalLong offset, int history, BiFunction<Screen, Sight, T> look) {
        SessionScreen kept = kept(session);
        T seen = kept.look(offset, history, screen -> look.apply(screen, kept.sight(session.actor())));
        fit(kept);
        return seen;
    }

    private SessionScreen kept(Session session) {
        return kept(session, false);
    }

    /// @param passOver whether what it has printed so far is not scanned
    private SessionScreen kept(Session session, boolean passOver) {
        requireTerminal(session);
        SessionScreen known = found(session);
        if (known != null) {
            return known;
        }
        return all.compute(SessionKey.of(session), (_, now) -> {
            if (now != null && now.session.identity().equals(session.identity())) {
                return now;
            }
            if (now != null) {
                now.release();
            }
            // As its owner: the screen belongs to no viewer.
            Session own = session.as(new Actor(session.spec().owner()));
            SessionScreen made = new SessionScreen(own, limits, sessions.limits().logBytes(), counts, time);
            if (passOver) {
                made.answers.begin();
            }
            if (!closed) {
                made.follow(thread);
            }
            return made;
        });
    }

    private static void requireTerminal(Session session) {
        if (!(session.spec().mode() instanceof Mode.Pty)) {
            throw SessionException.invalid(
                    "Session " + session.id() + " runs on pipes, which have no screen; read its output.");
        }
        if (session.state() == SessionState.CLOSED) {
            throw new SessionException(
                    ErrorCode.NOT_FOUND, "Session " + session.id() + " is closed; its screen is gone.");
        }
    }

    // --- wait ---

    /// Waits until the screen shows something, comes to rest, or the leader has exited; at most for the timeout. The
    /// wait counts as activity, as every wait does.
    public ScreenWaited await(Session session, UntilScreen until, Duration timeout) throws InterruptedException {
        return new ScreenWait(this, session, until, timeout).run();
    }

    /// The thumbnails of sessions whose screens have changed since the offsets, once there is at least one; an empty
    /// list if nothing changes in time. The thumbnail of a session is made at most twice a second. Sessions that are
    /// closed are left out.
    public List<Thumbnail> thumbnails(List<Since> asked, Duration wait) throws InterruptedException {
        List<Asked> known = new ArrayList<>();
        for (Since since : asked) {
            if (since.session().state() != SessionState.CLOSED) {
                known.add(new Asked(since, kept(since.session())));
            }
        }
        return thread.thumbnails().await(known, time.nanos() + nanos(wait));
    }

    private static long nanos(Duration duration) {
        return Math.clamp(TimeUnit.NANOSECONDS.convert(duration), 0, Long.MAX_VALUE / 2);
    }

    // --- what the output tells ---

    /// Whether a full-screen program's screen was up when the output had reached an offset. Scans what is new; needs no
    /// screen.
    public boolean alternateAt(Session session, long offset) {
        return kept(session).stream.alternateAt(offset);
    }

    /// Whether the program wants arrow keys as `ESC O` (DECCKM).
    public boolean cursorKeys(Session session) {
        return kept(session).stream.cursorKeys();
    }

    /// From its start on, only shell marks that end in `;k=KEY` count in this session, and make signed records.
    public void sign(Session session, String key) {
        kept(session).stream.key(key);
    }

    /// The text of the command that begins next, after an offset: who types it knows it best.
    public void announce(Session session, String command, long offset) {
        kept(session).stream.shell(marks -> {
            marks.announce(command, offset);
            return true;
        });
    }

    /// What the marks of the session's shell say now.
    public ShellState shell(Session session) {
        return kept(session).stream.shell(ShellMarks::state);
    }

    /// The commands that the session's shell has run, according to its marks, oldest first; at most the last 1,000.
    /// Texts and folders that the handle's actor may not read are null.
    public List<ShellCommand> commands(Session session) {
        SessionScreen kept = kept(session);
        List<PrivateRange> hidden = kept.log.privateRanges().stream()
                .filter(range -> range.hides(session.actor()))
                .toList();
        return kept.stream.shell(ShellMarks::commands).stream()
                .map(command -> hidden.stream().anyMatch(range -> touches(range, command)) ? command.veiled() : command)
                .toList();
    }

    /// Marks stand before the output: a command that was typed privately began right behind it.
    private static boolean touches(PrivateRange range, ShellCommand command) {
        return command.start() >= range.from() && command.start() <= range.to();
    }

    // --- search ---

    /// The lines of a session's output, as they were shown, that match a regular expression (RE2 syntax), in their
    /// order. If there are more than `most`, the last ones. Lines that were drawn over are not found, nor are earlier
    /// contents of the alternate screen.
    public List<Found> search(Session session, String regex, int most) {
        Pattern pattern = Regex.compile(regex);
        SessionScreen kept = kept(session);
        return new RowSearch(pattern, most).run(kept.replay(), kept.log, () -> kept.sight(session.actor()));
    }

    // --- viewers ---

    /// A mask for a new viewer of the session, which must send everything through it. The output of a session on
    /// pipes passes unchanged.
    ///
    /// @param answers whether the viewer is a terminal that answers questions itself: from the log's end at this moment
    ///                until it is closed, it gets the questions and the server is silent. If several do, the newest
    ///                one gets them
    public QuestionMask mask(Session session, boolean answers) {
        if (!(session.spec().mode() instanceof Mode.Pty)) {
            return QuestionMask.none();
        }
        SessionScreen kept = kept(session);
        counts.masks.incrementAndGet();
        if (!answers) {
            return new QuestionMask(new Scanner(limits.screen()), _ -> false, counts.masks::decrementAndGet);
        }
        QueryAnswers.Viewer viewer = kept.answers.viewer();
        return new QuestionMask(new Scanner(limits.screen()), viewer::answers, () -> {
            counts.masks.decrementAndGet();
            viewer.leave();
        });
    }

    /// Sets the colours of the viewer that typed last, for programs that ask.
    public void colours(Session session, Colours colours) {
        kept(session).answers.colours(colours);
    }

    // --- know ---

    /// The title that a program gave the terminal last, as everybody may see it; empty if there is none, if it was set
    /// privately, or for pipes. Costs nothing: it is found while the output is searched for questions. One that is set
    /// in the middle of a flood may be missed.
    public String title(Session session) {
        SessionScreen known = found(session);
        return known == null ? "" : known.answers.title();
    }

    /// Whether the session is an agent's shell at its prompt: it waits for its agent, and for nobody else.
    public boolean restsAtPrompt(Session session) {
        SessionScreen known = found(session);
        ShellState shell = known == null ? null : known.stream.shell(ShellMarks::state);
        return shell != null && shell.signed() && shell.atPrompt();
    }

    private @Nullable SessionScreen found(Session session) {
        SessionScreen known = all.get(SessionKey.of(session));
        return known != null && known.session.identity().equals(session.identity()) ? known : null;
    }

    public ScreensStats stats() {
        return counts.stats();
    }

    /// The offset from which the screen of a session is known without the log before it.
    long known(Session session) {
        return kept(session).known();
    }

    public ScreensLimits limits() {
        return limits;
    }

    // --- what happens to sessions ---

    /// The first output of a session: it is followed from now on, and its tap reports the rest.
    @Override
    public void output(String owner, String id, long end) {
        SessionScreen known = all.get(new SessionKey(id, owner));
        if (known != null && !known.closed()) {
            return;
        }
        Session session = sessions.find(id, owner).orElse(null);
        if (session != null
                && !closed
                && session.spec().mode() instanceof Mode.Pty
                && session.state() != SessionState.CLOSED) {
            kept(session);
        }
    }

    @Override
    public void closed(SessionRecord session) {
        all.computeIfPresent(SessionKey.of(session), (_, kept) -> keepUnlessClosed(kept));
    }

    private static @Nullable SessionScreen keepUnlessClosed(SessionScreen kept) {
        if (!kept.closed()) {
            return kept;
        }
        kept.release();
        return null;
    }

    /// Folds the screens that were not used for long, and forgets sessions that were closed unheard.
    private void tidy() {
        all.keySet().forEach(key -> all.computeIfPresent(key, (_, kept) -> keepUnlessClosed(kept)));
        long now = time.nanos();
        for (SessionScreen kept : all.values()) {
            if (kept.warm() && now - kept.usedNanos() >= limits.warmFor().toNanos()) {
                kept.fold();
            }
        }
        if (counts.checkpointBytes.get() > limits.warmBytes()) {
            all.values().forEach(SessionScreen::thin);
        }
    }

    /// Folds the screens that were used least recently until the rest fit into memory.
    ///
    /// @param used one that was used just now
    private void fit(SessionScreen used) {
        if (counts.warmBytes.get() <= limits.warmBytes()) {
            return;
        }
        List<SessionScreen> oldest = all.values().stream()
                .filter(kept -> kept.warm() && kept != used)
                .sorted(Comparator.comparingLong(kept -> kept.usedNanos() - time.nanos()))
                .toList();
        for (SessionScreen kept : oldest) {
            if (counts.warmBytes.get() <= limits.warmBytes()) {
                return;
            }
            kept.fold();
        }
        if (counts.warmBytes.get() > limits.warmBytes()) {
            used.fold();
        }
    }

    /// Stops following. Questions get no more answers. Looks still work, but keep nothing.
    @Override
    public void close() {
        closed = true;
        sessions.removeObserver(this);
        thread.close();
        all.values().forEach(SessionScreen::release);
    }
}
