package dev.belay.cli;

import dev.belay.Size;
import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.args.UsageException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/// `belay attach`: shows a session on this terminal and types into it.
final class AttachCommand implements Command {
    private static final String ABOUT = """
            Shows a session on this terminal, starting with its current screen. What you
            type goes to it, and it gets the size of your terminal. Several people may be
            attached at once. If the connection breaks, Belay reconnects and continues.""";

    private static final String KEYS = """
            @|bold Keys:|@
              ctrl-\\ d   detach; the session keeps running
              ctrl-\\ t   take the keyboard: nobody else can type
              ctrl-\\ g   give the keyboard back
              ctrl-\\ r   repaint
              ctrl-\\ ctrl-\\   type ctrl-\\
              --detach-keys, or BELAY_DETACH_KEYS, chooses others.

            """;

    private static final String STATUS = """
              The exit status of the session's command, if it exits meanwhile; 0 after
              detaching.
            """;

    private static final String EXAMPLES = """
            belay attach build
            belay attach --watch agent-1
            belay attach --detach-keys ctrl-b,d editor""";

    @Override
    public Syntax syntax() {
        Syntax own = ServerOptions.ofSession("attach", "Show a session on this terminal.", "", ABOUT)
                .flag("--watch", "Only watch; nothing that you type reaches the session.")
                .flag("--take", "Take the keyboard: nobody else can type until you detach.")
                .flag("--private", "Take the keyboard, and hide from others what is printed meanwhile.")
                .value("--detach-keys", "KEYS", "Keys that detach (default: " + DetachKeys.STANDARD + ").");
        Syntax all = ServerOptions.of(own, STATUS, EXAMPLES);
        return all.footer(KEYS + all.footer());
    }

    @Override
    public int run(Arguments given) throws InterruptedException {
        boolean watch = given.flag("--watch");
        if (watch && (given.flag("--take") || given.flag("--private"))) {
            throw new UsageException("--watch leaves the keyboard to others; drop --take and --private");
        }
        AttachOptions options =
                new AttachOptions(watch, given.flag("--private") ? 2 : given.flag("--take") ? 1 : 0);
        DetachKeys keys = keys(given.text("--detach-keys"));
        RemoteSession session = ServerOptions.session(given);
        return attach(session, keys, options);
    }

    /// Opens a session with the size of this terminal and attaches to it.
    static int open(RestClient client, ObjectNode spec) throws InterruptedException {
        DetachKeys keys = keys(null);
        Stdio stdio = Stdio.look();
        requireTerminal(stdio.in() != null && stdio.out() != null);
        Size size = stdio.size();
        String id = client.post("/api/sessions", spec.put("cols", size.cols()).put("rows", size.rows()))
                .path("id").asString("");
        return attach(new RemoteSession(client, id, null), keys, new AttachOptions(false, 0));
    }

    static DetachKeys keys(@Nullable String option) {
        String keys = option != null ? option : System.getenv("BELAY_DETACH_KEYS");
        return DetachKeys.of(keys == null || keys.isEmpty() ? DetachKeys.STANDARD : keys);
    }

    private static void requireTerminal(boolean terminal) {
        if (!terminal) {
            throw new UsageException(
                    "attach needs a terminal for input and output; without one, use 'belay read --follow'");
        }
    }

    private static int attach(RemoteSession session, DetachKeys keys, AttachOptions options)
            throws InterruptedException {
        System.err.println("belay: attached to " + session.id() + (options.watch() ? " to watch" : "") + "; "
                + keys.text() + " detaches");
        AttachedTerminal.Ended ended = show(session, new TerminalKeys(), keys, options);
        requireTerminal(ended != null);
        return ended == null ? ExitCodes.CLIENT_MISUSED : ended.code();
    }

    /// Shows a session on this terminal until the person detaches or it ends.
    ///
    /// @return how it ended; null if this process has no terminal
    static AttachedTerminal.@Nullable Ended show(
            RemoteSession session, TerminalKeys keyboard, DetachKeys keys, AttachOptions options)
            throws InterruptedException {
        try (RawTerminal terminal = RawTerminal.forSession()) {
            if (terminal == null) {
                return null;
            }
            AttachedTerminal.Ended ended = new AttachedTerminal(session, terminal, keyboard, keys, options).run();
            terminal.restore(ended.message());
            return ended;
        }
    }
}
