package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.Size;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/// A session on this terminal: what it prints is shown, what is typed goes to it, until the person detaches or it ends.
///
/// The caller's thread connects, and connects again when the connection was lost: output goes on at the offset where it
/// stopped, and what was typed but not confirmed is sent again, once. What is typed comes from a [TerminalKeys].
final class AttachedTerminal implements AttachLink.Heard {
    private static final Duration PING_EVERY = Duration.ofSeconds(5);
    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(20);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(3);
    /// How long a server on this machine that refuses connections may be away.
    private static final Duration REFUSED = Duration.ofSeconds(10);
    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final int ACK_BYTES = 64 << 10;
    private static final int MAX_UNCONFIRMED = 1 << 20;
    private static final int CTRL_C = 3;
    private static final int GOING_AWAY = 1001;
    private static final int REVOKED = 4001;

    private final RemoteSession session;
    private final RawTerminal terminal;
    private final TerminalKeys keyboard;
    private final DetachKeys keys;
    private final AttachOptions options;
    private final String inputs = UUID.randomUUID().toString();
    /// Typed, but not yet confirmed, in order.
    private final Map<String, byte[]> unconfirmed = new LinkedHashMap<>();
    private long inputCount;
    private long next = -1;
    private long acked;
    private volatile @Nullable AttachLink link;
    private volatile boolean connected;
    private volatile boolean leaving;
    private volatile boolean repaint;
    private boolean greeted;
    /// Whether the note that names the detach keys covers the last row. The next key removes it.
    private volatile boolean noted;
    /// What else the last row says, until the next key. A repaint must not erase it.
    private volatile String said = "";
    private volatile @Nullable Integer exitCode;
    private volatile String holder = "";

    AttachedTerminal(RemoteSession session, RawTerminal terminal, TerminalKeys keyboard, DetachKeys keys,
            AttachOptions options) {
        this.session = session;
        this.terminal = terminal;
        this.keyboard = keyboard;
        this.keys = keys;
        this.options = options;
    }

    /// How it ended.
    ///
    /// @param message a line for the person
    record Ended(int code, String message) {}

    /// Returns when the person has detached, or the session has ended, or the server is gone.
    Ended run() throws InterruptedException {
        Signals.onWindowChange(this::follow);
        Signals.onContinue(() -> {
            terminal.comeBack();
            refresh();
        });
        keyboard.readBy(this::typed, this::leave);
        Duration pause = FIRST_PAUSE;
        long lostAt = System.nanoTime();
        try (HttpClient http = HttpClient.newBuilder().connectTimeout(CONNECT).build()) {
            while (true) {
                boolean refused = false;
                try {
                    AttachLink one = connect(http);
                    pause = FIRST_PAUSE;
                    Ended ended = watch(one);
                    if (ended != null) {
                        return ended;
                    }
                    lostAt = System.nanoTime();
                } catch (CompletionException e) {
                    Ended ended = failed(e.getCause());
                    if (ended != null) {
                        return ended;
                    }
                    refused = e.getCause() instanceof ConnectException;
                }
                if (leaving) {
                    return detached();
                }
                if (repaint) {
                    continue;
                }
                if (refused && System.nanoTime() - lostAt > REFUSED.toNanos()) {
                    return new Ended(ExitCodes.CLIENT_FAILED, "belay: the server no longer answers at "
                            + session.client().server().uri());
                }
                terminal.note("belay: connection lost, trying again (ctrl-c gives up)");
                Thread.sleep(pause);
                pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
            }
        }
    }

    private Ended detached() {
        return new Ended(0, "[detached from " + session.id() + "; 'belay attach " + session.id() + "' returns]");
    }

    // --- the connection ---

    private AttachLink connect(HttpClient http) {
        boolean whole = repaint;
        repaint = false;
        String path = session.path(
                "/attach",
                "mode", options.watch() ? "watch" : null,
                "screen", "1",
                "from", next < 0 || whole ? null : (Long) next);
        AttachLink one = AttachLink.open(http, session.client(), path, CONNECT, this);
        link = one;
        if (leaving) {
            leave(); // the key came before there was a link to close
        }
        if (!options.watch()) {
            one.resize(terminal.size());
        }
        if (options.lease() > 0) {
            one.keyboard(options.lease());
        }
        synchronized (unconfirmed) {
            unconfirmed.forEach(one::input);
            connected = true;
        }
        return one;
    }

    /// @return how it ended, or null if the connection was lost or is to be made again
    private @Nullable Ended watch(AttachLink one) throws InterruptedException {
        while (!one.awaitClose(PING_EVERY)) {
            if (one.silentNanos() > LONGEST_SILENCE.toNanos()) {
                one.abort();
            } else {
                one.ping();
            }
        }
        synchronized (unconfirmed) {
            connected = false;
        }
        Integer code = exitCode;
        if (code != null) {
            return new Ended(code, "[" + session.id() + " has exited with " + code + "]");
        }
        if (leaving) {
            return detached();
        }
        if (one.closeCode() == GOING_AWAY) {
            return new Ended(ExitCodes.CLIENT_FAILED, "[the server was stopped]");
        }
        if (one.closeCode() == REVOKED) {
            return new Ended(ExitCodes.ofClient(denied("")), "belay: your token is no longer valid");
        }
        return one.closeReason().equals("closed") ? new Ended(0, "[" + session.id() + " was closed]") : null;
    }

    /// @return how it ended, or null if another try makes sense
    private @Nullable Ended failed(@Nullable Throwable cause) {
        if (!(cause instanceof WebSocketHandshakeException refused)) {
            return null;
        }
        return switch (refused.getResponse().statusCode()) {
            case 404 -> new Ended(
                    ExitCodes.ofClient(new SessionException(ErrorCode.NOT_FOUND, "")),
                    "belay: session " + session.id() + " no longer exists");
            case 401, 403 -> new Ended(ExitCodes.ofClient(denied("")), "belay: you may no longer attach to it");
            default -> null;
        };
    }

    private static SessionException denied(String message) {
        return new SessionException(ErrorCode.DENIED, message);
    }

    /// Connects again, to get the whole screen.
    private void refresh() {
        AttachLink one = link;
        repaint = true;
        if (one != null) {
            one.close();
            one.flush();
            one.abort();
        }
    }

    private void follow() {
        AttachLink one = link;
        if (one != null && !options.watch()) {
            one.resize(terminal.size());
        }
    }

    // --- the keyboard ---

    private void typed(byte[] bytes) {
        boolean uncover = noted;
        noted = false;
        said = "";
        byte[] left = bytes;
        while (left.length > 0 && !leaving) {
            DetachKeys.Typed read = keys.read(left);
            send(read.pass());
            left = DetachKeys.rest(left, read);
            if (read.asked() != null) {
                act(read.asked());
            }
        }
        if (uncover && !leaving) {
            refresh();
        }
    }

    private void act(DetachKeys.Asked asked) {
        AttachLink one = link;
        switch (asked) {
            case DETACH -> leave();
            case REPAINT -> refresh();
            case TAKE, GIVE_BACK -> {
                if (one != null) {
                    one.keyboard(asked == DetachKeys.Asked.TAKE ? 1 : 0);
                }
            }
        }
    }

    private void send(byte[] bytes) {
        if (bytes.length == 0) {
            return;
        }
        if (options.watch()) {
            if (bytes[0] == CTRL_C || bytes[0] == 'q') {
                leave();
            } else {
                terminal.note("belay: watching; q or " + keys.text() + " leaves");
            }
            return;
        }
        synchronized (unconfirmed) {
            if (!connected && bytes[0] == CTRL_C) {
                leaving = true;
                return;
            }
            long waiting = unconfirmed.values().stream().mapToLong(one -> one.length).sum();
            if (waiting + bytes.length > MAX_UNCONFIRMED) {
                return; // a bell would be typed over the note
            }
            String id = inputs + "-" + ++inputCount;
            unconfirmed.put(id, bytes);
            AttachLink one = link;
            if (connected && one != null) {
                one.input(id, bytes);
            }
        }
    }

    private void leave() {
        leaving = true;
        AttachLink one = link;
        if (one != null) {
            if (options.lease() > 0) {
                one.keyboard(0);
            }
            one.close();
            one.flush();
            one.abort();
        }
    }

    // --- what the server says ---

    @Override
    public void attached(ObjectNode facts) {
        if (next < 0) {
            next = facts.path("from").asLong(0);
        }
    }

    @Override
    public void output(long offset, ByteBuffer bytes) {
        byte[] shown = new byte[bytes.remaining()];
        bytes.get(shown);
        terminal.show(shown);
        next = offset + shown.length;
        AttachLink one = link;
        if (next - acked >= ACK_BYTES && one != null) {
            acked = next;
            one.ack(next);
        }
    }

    @Override
    public void gap(long offset, long lost, String reason) {
        next = offset + lost; // a repaint follows
    }

    @Override
    public void screen(long offset, int cols, int rows, ByteBuffer bytes) {
        byte[] shown = new byte[bytes.remaining()];
        bytes.get(shown);
        terminal.repaint(shown);
        next = offset;
        acked = offset;
        if (!greeted) {
            // After the first picture, which would erase it.
            greeted = true;
            noted = !options.watch();
            terminal.note("belay: " + keys.text() + " detaches");
        }
        if (!said.isEmpty()) {
            terminal.note(said);
        }
        Size size = terminal.size();
        if (options.watch() && (size.cols() < cols || size.rows() < rows)) {
            terminal.note("belay: this session is " + cols + "x" + rows + ", larger than your terminal");
        }
    }

    @Override
    public void keyboard(String now) {
        boolean changed = !now.equals(holder);
        holder = now;
        if (changed && !now.isEmpty()) {
            say("belay: " + now + " has the keyboard");
        } else if (changed) {
            said = "";
            refresh();
        }
    }

    private void say(String text) {
        said = text;
        terminal.note(text);
    }

    @Override
    public void exit(int code) {
        exitCode = code;
        AttachLink one = link;
        if (one != null) {
            one.close();
        }
    }

    @Override
    public void refused(String code, String message) {
        say("belay: " + message);
        if (code.equals(ErrorCode.DENIED.name())) {
            // Somebody else has the keyboard. What was typed meanwhile must not arrive later, after a reconnection.
            synchronized (unconfirmed) {
                unconfirmed.clear();
            }
        }
    }

    @Override
    public void taken(String inputId, int bytes) {
        synchronized (unconfirmed) {
            unconfirmed.remove(inputId);
        }
    }
}
