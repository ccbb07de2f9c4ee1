package dev.belay.server.attach;

import dev.belay.Approval;
import dev.belay.BegunInput;
import dev.belay.ErrorCode;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.Signal;
import dev.belay.Size;
import dev.belay.screen.Colours;
import dev.belay.server.auth.Login;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One connection's view of one session: a [ViewerSender], which sends it the session's output, and, in write mode, its
/// hands on the session. All methods may be called from any thread.
public final class Viewer implements AutoCloseable {
    /// What a viewer may do.
    public enum Mode {
        /// Type, resize, signal, take the keyboard.
        WRITE,
        /// Look.
        WATCH;

        /// The mode that a client asks for by name; null: the most that it may.
        public static Mode of(@Nullable String label, boolean mayDrive) {
            if (label == null) {
                return mayDrive ? WRITE : WATCH;
            }
            return switch (label) {
                case "write" -> WRITE;
                case "watch" -> WATCH;
                default -> throw invalid("mode must be write or watch.");
            };
        }

        /// The name on the wire.
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Viewers viewers;
    private final Session session;
    private final Login login;
    private final Mode mode;
    private final ViewerSender sender;

    private volatile @Nullable Size wanted;
    private volatile @Nullable Colours colours;

    Viewer(Viewers viewers, Session session, Login login, ViewOptions options, ViewerConnection connection) {
        this.viewers = viewers;
        this.session = session;
        this.login = login;
        this.mode = options.mode();
        this.sender = new ViewerSender(viewers, session, options, connection, why -> viewers.gone(this, why));
    }

    void start() {
        sender.start();
    }

    public Session session() {
        return session;
    }

    public Login login() {
        return login;
    }

    public Mode mode() {
        return mode;
    }

    /// Bytes that the session has printed and the viewer was not sent.
    public long lag() {
        return sender.lag();
    }

    // --- what the other side says ---

    /// The viewer has processed everything before this offset. From the first call on, output runs ahead of it by at
    /// most the window.
    public void ack(long offset) {
        sender.ack(offset);
    }

    /// Types; see [Session#writeOnce]. The terminal gets this viewer's size and colours.
    public int write(byte[] input, @Nullable String inputId) throws InterruptedException {
        Session driven = driven();
        Size size = wanted;
        if (size != null && !sender.isSize(size)) {
            apply(driven, size);
        }
        return typing(driven).begin(input, inputId).finish();
    }

    /// As [#write], as far as that goes without waiting; see [Session#begin].
    public BegunInput begin(byte[] input, @Nullable String inputId) {
        Session driven = driven();
        Size size = wanted;
        // A resize waits for the host.
        return size != null && !sender.isSize(size)
                ? BegunInput.later(() -> write(input, inputId))
                : typing(driven).begin(input, inputId);
    }

    private Session typing(Session driven) {
        Colours mine = colours;
        if (mine != null) {
            viewers.screens().colours(driven, mine);
        }
        sender.typed();
        return driven;
    }

    /// Sets the size of the viewer's window; the terminal follows, unless somebody else has the keyboard.
    public void resize(Size size) {
        Session driven = driven();
        wanted = size;
        apply(driven, size);
    }

    private void apply(Session driven, Size size) {
        Optional<String> holding = driven.keyboardHolder();
        if (holding.isEmpty() || holding.get().equals(login.name())) {
            driven.resize(size);
        }
    }

    /// Sets the colours of the viewer's window, for programs that ask.
    public void colours(Colours now) {
        Session driven = driven();
        colours = now;
        viewers.screens().colours(driven, now);
    }

    public void signal(Signal signal) {
        driven().signal(signal);
    }

    public void takeKeyboard(boolean isPrivate) {
        viewers.leases().take(driven(), login, isPrivate, null);
    }

    public void giveBackKeyboard() {
        viewers.leases().giveBack(driven(), login);
    }

    /// Answers a question about a program.
    public void answer(String approval, Approval.Answer answer) {
        viewers.access().of(login).answer(approval, answer);
    }

    /// The session, if this viewer may still drive it.
    private Session driven() {
        if (mode != Mode.WRITE) {
            throw new SessionException(
                    ErrorCode.DENIED,
                    "You only watch session " + session.id() + "; attach in write mode to control it.");
        }
        return viewers.access().of(login).recheck(session, true);
    }

    // --- the end ---

    /// Detaches from the session, which keeps running.
    @Override
    public void close() {
        detach(DetachReason.DETACHED);
    }

    /// Ends the view for a reason. The first reason counts.
    public void detach(DetachReason why) {
        sender.detach(why);
    }

    /// A while has passed.
    void tick() {
        sender.tick();
    }

    private static SessionException invalid(String message) {
        return new SessionException(ErrorCode.INVALID_REQUEST, message);
    }
}
