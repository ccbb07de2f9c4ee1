package dev.belay.cli;

import dev.belay.SessionException;
import dev.belay.cli.view.Canvas;
import dev.belay.cli.view.Key;
import dev.belay.cli.view.KeyReader;
import dev.belay.cli.view.Preview;
import dev.belay.cli.view.Top;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `belay top` while it runs. One thread, the caller's, does everything: keys, answers of the server and new sizes come
/// to it through a queue. It draws when the queue is empty, and sends the terminal only what has changed.
///
/// At most one request of a kind is on its way, so neither a slow server nor a slow terminal makes anything pile up.
final class TopLoop implements AutoCloseable {
    private static final Duration TICK = Duration.ofSeconds(1);
    /// How long a sequence that begins with Escape may take to arrive.
    private static final Duration ESCAPE = Duration.ofMillis(50);
    private static final Duration WAIT = Duration.ofSeconds(25);
    private static final Duration RETRY = Duration.ofSeconds(2);
    /// The kernel sends no event when processes come and go.
    private static final Duration LOOK_AT_PROCESSES = Duration.ofSeconds(2);

    private final RestClient client;
    private final BackgroundRestClient background;
    private final DetachKeys detachKeys;
    private final LiveList list;
    private final Top top;
    private final KeyReader keys = new KeyReader();
    private final TerminalKeys keyboard = new TerminalKeys();
    private final LinkedBlockingQueue<Runnable> events = new LinkedBlockingQueue<>();

    private BackgroundRestClient.@Nullable Question listing;
    private BackgroundRestClient.@Nullable Question looking;
    private BackgroundRestClient.@Nullable Question counting;
    private Top.@Nullable Target shown;
    private @Nullable Preview preview;
    private long retryAt = System.nanoTime();
    private long lookAt = System.nanoTime();
    private long countAt = System.nanoTime();
    private long ticked = System.nanoTime();

    private @Nullable RawTerminal terminal;
    private @Nullable Canvas drawn;
    private boolean quit;

    TopLoop(RestClient client, LiveList list, DetachKeys detachKeys) {
        this.client = client;
        this.list = list;
        this.detachKeys = detachKeys;
        this.background = new BackgroundRestClient(client, events::add);
        this.top = new Top(client.server().uri().getAuthority(), Stdio.coloured());
        top.sessions(list.sessions(), System.nanoTime());
    }

    /// Returns when the person quits.
    int run() throws InterruptedException {
        enter();
        try {
            while (!quit) {
                follow();
                draw();
                Runnable event = events.poll(pause(), TimeUnit.NANOSECONDS);
                boolean more = event != null;
                for (; event != null && !quit; event = events.poll()) {
                    event.run();
                }
                if (!more && keys.unsettled()) {
                    press(keys.settle());
                }
                tick();
            }
        } finally {
            leave();
        }
        return 0;
    }

    private long pause() {
        long now = System.nanoTime();
        long next = ticked + TICK.toNanos();
        return Math.max(0, Math.min(next - now, keys.unsettled() ? ESCAPE.toNanos() : Long.MAX_VALUE));
    }

    private void tick() {
        long now = System.nanoTime();
        if (now - ticked >= TICK.toNanos()) {
            ticked = now;
            top.count(now);
        }
    }

    // --- the terminal ---

    private void enter() {
        terminal = RawTerminal.forView();
        drawn = null;
        keyboard.readBy(
                bytes -> events.add(() -> press(keys.read(bytes))),
                () -> events.add(() -> quit = true));
        Signals.onWindowChange(() -> events.add(() -> {}));
        Signals.onContinue(() -> events.add(() -> {
            if (terminal != null) {
                terminal.comeBack();
            }
            repaint();
        }));
    }

    private void leave() {
        if (terminal != null) {
            terminal.close();
        }
        terminal = null;
    }

    /// The terminal may have lost its alternate screen while this process was stopped.
    private void repaint() {
        drawn = null;
        if (terminal != null) {
            terminal.show("\033[?1049h\033[?25l".getBytes(StandardCharsets.US_ASCII));
        }
    }

    private void draw() {
        RawTerminal to = terminal;
        if (to != null) {
            Canvas now = top.draw(to.size().cols(), to.size().rows(), Instant.now());
            String changes = now.after(drawn);
            if (!changes.isEmpty()) {
                to.show(changes.getBytes(StandardCharsets.UTF_8));
            }
            drawn = now;
        }
    }

    // --- keys ---

    private void press(List<Key> pressed) {
        for (Key key : pressed) {
            if (quit) {
                return;
            }
            switch (top.press(key)) {
                case Top.Draw _ -> {}
                case Top.Repaint _ -> repaint();
                case Top.Quit _ -> quit = true;
                case Top.Attach attach -> attach(attach);
                case Top.Close close -> close(close.session());
            }
        }
    }

    private RemoteSession remote(Top.Target session) {
        return new RemoteSession(client, session.id(), session.owner());
    }

    /// The session gets the terminal. Meanwhile nothing is asked of the server here.
    private void attach(Top.Attach attach) {
        leave();
        Signals.onContinue(() -> {});
        try {
            AttachedTerminal.Ended ended = AttachCommand.show(
                    remote(attach.session()), keyboard, detachKeys, new AttachOptions(attach.watch(), 0));
            top.say(ended == null ? "" : ended.message());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            quit = true;
        }
        enter();
    }

    private void close(Top.Target session) {
        background.ask("DELETE", remote(session).path(""),
                closed -> top.say(CloseCommand.told(session.id(), closed)), failed -> top.say(message(failed)));
    }

    private static String message(SessionException failed) {
        return String.valueOf(failed.getMessage());
    }

    // --- what the server sends ---

    /// Asks for what is shown and not yet asked for.
    private void follow() {
        long now = System.nanoTime();
        Top.Target selected = top.selected();
        if (!Objects.equals(selected, shown) || top.preview() != preview) {
            shown = selected;
            preview = top.preview();
            looking = giveUp(looking);
            counting = giveUp(counting);
            lookAt = now;
            countAt = now;
        }
        if (listing == null && now - retryAt >= 0) {
            listing = ask(list.path(WAIT), this::listed, () -> {
                listing = null;
                retryAt = System.nanoTime() + RETRY.toNanos();
            });
        }
        if (!top.wantsScreen()) {
            looking = giveUp(looking);
        } else if (looking == null && selected != null && now - lookAt >= 0) {
            String path = "/api/screens?ids=" + selected.owner() + "/" + selected.id() + "&since="
                    + top.preview().offset() + "&wait_ms=" + WAIT.toMillis();
            looking = ask(path, this::looked, () -> {
                looking = null;
                lookAt = System.nanoTime() + RETRY.toNanos();
            });
        }
        if (!top.wantsProcesses()) {
            counting = giveUp(counting);
            countAt = now;
        } else if (selected != null && counting == null && now - countAt >= 0) {
            counting = ask(remote(selected).path("/processes"), this::counted, () -> {
                counting = null;
                countAt = System.nanoTime() + RETRY.toNanos();
            });
        }
    }

    private static BackgroundRestClient.@Nullable Question giveUp(BackgroundRestClient.@Nullable Question question) {
        if (question != null) {
            question.giveUp();
        }
        return null;
    }

    /// @param failed runs if there is no answer, before the reason is shown
    private BackgroundRestClient.Question ask(String path, Consumer<ObjectNode> answered, Runnable failed) {
        return background.ask("GET", path, answered, problem -> {
            failed.run();
            top.say(message(problem));
        });
    }

    private void listed(ObjectNode answer) {
        listing = null;
        list.update(answer);
        top.sessions(list.sessions(), System.nanoTime());
        lookAt = System.nanoTime();
    }

    private void looked(ObjectNode answer) {
        looking = null;
        for (JsonNode screen : answer.path("screens")) {
            top.preview().update(screen);
        }
        if (top.preview().offset() == 0) {
            // It was just closed, or has printed nothing yet: the list shows when that changes.
            lookAt = System.nanoTime() + RETRY.toNanos();
        }
    }

    private void counted(ObjectNode answer) {
        counting = null;
        countAt = System.nanoTime() + LOOK_AT_PROCESSES.toNanos();
        top.processes(answer.path("processes"));
    }

    @Override
    public void close() {
        background.close();
    }
}
