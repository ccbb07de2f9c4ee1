package dev.belay.cli;

import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.args.UsageException;

/// `belay top`: shows all sessions, live, on the whole terminal.
final class TopCommand implements Command {
    private static final String ABOUT = """
            Shows all sessions that you may see, live: what they do, how much they print,
            and which of them wait for input. Below the list is the screen of the selected
            session, or its processes.""";

    private static final String KEYS = """
            @|bold Keys:|@
              up, down      select a session
              enter, w      attach to it, or only watch it
              x             close it; asks first
              /             filter
              s, r          sort by something else; reverse
              tab           screen, processes, neither
              ?             show all keys
              q             quit

            """;

    private static final String EXAMPLES = """
            belay top
            belay top --server https://box.example:10000/ --token-file me.token""";

    @Override
    public Syntax syntax() {
        Syntax own = Syntax.of("top", "Show all sessions, live.", "belay top [OPTION...]").description(ABOUT);
        Syntax all = ServerOptions.of(own, "", EXAMPLES);
        return all.footer(KEYS + all.footer());
    }

    @Override
    public int run(Arguments given) throws InterruptedException {
        RestClient client = ServerOptions.client(given);
        DetachKeys keys = AttachCommand.keys(null);
        // A wrong token or a missing server is reported on the shell's own screen.
        LiveList first = new LiveList();
        first.update(client.get(first.path(java.time.Duration.ZERO)));
        Stdio stdio = Stdio.look();
        if (stdio.in() == null || stdio.out() == null) {
            throw new UsageException("top needs a terminal for input and output; without one, use 'belay ls --watch'");
        }
        try (TopLoop loop = new TopLoop(client, first, keys)) {
            return loop.run();
        }
    }
}
