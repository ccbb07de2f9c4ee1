package dev.belay.cli;

import picocli.CommandLine.Model.UsageMessageSpec;

/// The texts of the help. Lines have at most 80 characters; `@|bold ...|@` is bold on a terminal.
final class Help {
    private static final String USAGE = "%n@|bold Usage:|@ ";
    private static final String OPTIONS = "%n@|bold Options:|@%n";
    private static final String COMMANDS = "%n@|bold Commands:|@%n";

    private static final String BELAY = """
            Belay runs programs in terminal sessions that hold: no output is lost,
            and nothing is left behind.""";

    private static final String BELAY_EXAMPLES = """

            @|bold Examples:|@
              belay run -- vim notes.txt     a program on this terminal
              belay mcp                      tools for an AI agent, over MCP
              belay serve                    sessions for other programs and people
              belay doctor                   what this machine offers to Belay
              belay run --help               all about a command""";

    private static final String RUN = """

            The command gets a terminal of its own, joined to yours: full-screen programs,
            resizing, Ctrl-C and Ctrl-Z work as they always do. When the command ends,
            whatever it left running is ended too, and belay exits with its exit code.""";

    private static final String RUN_MORE = """

            @|bold Redirection:|@
              Input and output may come from and go to files and pipes. The command still
              sees a terminal: Ctrl-C and the like act when they occur in the input, and
              lines of more than 4095 bytes are cut. To pass data unchanged, use --pipe.

            @|bold Environment:|@
              The command inherits your environment less what looks secret: names with
              TOKEN, SECRET, PASSWORD or API_KEY in them, and BELAY_*. To pass on one of
              these, name it: --env=GITHUB_TOKEN

            @|bold Exit status:|@
              The command's own, or
              128+n  the command was ended by signal n (130: Ctrl-C)
              124    the command took longer than --timeout
              125    Belay itself failed: a wrong option, no such folder, ...
              126    the command cannot be executed
              127    the command was not found

            @|bold Examples:|@
              belay run -- vim notes.txt
              belay run --timeout=10m --workdir=backend -- npm test
              belay run -- make test < /dev/null | less
              belay run --pipe -- tar cz src > src.tgz""";

    private static final String MCP = """

            Speaks the Model Context Protocol on standard input and output, for an agent's
            program that starts Belay: docs/agents.md has the lines to put into its
            settings. When the program goes, its sessions and their processes go too.""";

    private static final String MCP_MORE = """

            @|bold Workspace:|@
              Commands run in the workspace and folders below it: the one named, else the
              project of Claude Code (CLAUDE_PROJECT_DIR), else the current folder.

            @|bold Environment:|@
              Commands inherit yours less what looks secret: names with TOKEN, SECRET,
              PASSWORD or API_KEY in them, and BELAY_*.

            @|bold Examples:|@
              claude mcp add belay -- belay mcp
              belay mcp --workspace ~/project
              belay mcp --server http://127.0.0.1:10000/""";

    private static final String SERVE = """

            Starts the server in the foreground and prints its address, and a link to its
            page that is good once. Programs sign in with the token in the state folder's
            file 'token'. Ctrl-C ends it with all of its sessions; SIGHUP reads tokens,
            quotas and limits again.""";

    private static final String SERVE_MORE = """

            @|bold Examples:|@
              belay serve
              belay serve --port=0 --workspace=src
              belay serve --print-config > belay.toml
              belay serve --config=belay.toml""";

    private static final String DOCTOR = """

            Tries what Belay needs and prints one line a fact: ok, note (Belay works, but
            you may want to know) or missing (it does not), with what to do about it.
            No session is started, and nothing is left behind.""";

    private static final String DOCTOR_MORE = """

            @|bold Exit status:|@
              0      Belay has all it needs
              1      something needed is missing
              125    Belay itself failed

            @|bold Examples:|@
              belay doctor
              belay doctor --json | jq -r '.missing[]'""";

    static final String WORKDIR = "Start the command in this folder.";
    static final String TIMEOUT = "End the command after this time: 90 (seconds), 1.5, 500ms, 30s, 5m, 1h30m.";
    static final String ENV = "Set a variable, or pass on yours of that name. May be repeated.";
    static final String CPU = "Processor time that each process of it may use, in whole seconds.";
    static final String MEMORY = "Memory (address space) of each process: 300000000, 512M, 4GiB.";
    static final String FILE_SIZE = "The largest file that it may write.";
    static final String OPEN_FILES = "Files that each process may have open.";
    static final String PROCESSES = "Processes that your user may have, all together; not for root.";
    static final String PIPE = "Run on pipes, without a terminal: bytes pass unchanged, stdout and stderr apart.";
    static final String HOST = "Listen on this address (127.0.0.1).";
    static final String PORT = "Listen on this port (10000); 0 picks a free one.";
    static final String WORKSPACE = "Sessions run in this folder and its folders (the current one).";
    static final String STATE = "Keep the token and the output here ($XDG_STATE_HOME/belay).";
    static final String CONFIG = "Read the settings in this file.";
    static final String TLS_CERT = "The certificate chain, as PEM.";
    static final String TLS_KEY = "Its key, as PEM (PKCS#8).";
    static final String INSECURE = "Listen beyond loopback without encryption.";
    static final String PRINT_CONFIG = "Print all settings with their defaults, and end.";
    static final String JSON = "Print one JSON object, for programs.";
    static final String STANDALONE = "Run the sessions in this process. The default, unless BELAY_SERVER is set.";
    static final String SERVER = "Use the sessions of the server at URL, where people can watch them.";
    static final String TOKEN_FILE =
            "Show the server the token in FILE; else BELAY_TOKEN, or that of your own server here.";
    static final String HELP = "Show this help.";
    static final String VERSION = "Show the version.";

    private Help() {}

    static void ofBelay(UsageMessageSpec help) {
        help.header(BELAY)
                .synopsisHeading(USAGE)
                .customSynopsis("belay COMMAND [OPTION...]")
                .commandListHeading(COMMANDS)
                .optionListHeading(OPTIONS)
                .footer(BELAY_EXAMPLES);
    }

    static void ofRun(UsageMessageSpec help) {
        help.header("Run a command in a session on this terminal.")
                .synopsisHeading(USAGE)
                .customSynopsis("belay run [OPTION...] [--] COMMAND [ARG...]")
                .description(RUN)
                .optionListHeading(OPTIONS)
                .footer(RUN_MORE);
    }

    static void ofMcp(UsageMessageSpec help) {
        help.header("Give an AI agent the tools to run commands (MCP).")
                .synopsisHeading(USAGE)
                .customSynopsis("belay mcp [OPTION...]")
                .description(MCP)
                .optionListHeading(OPTIONS)
                .footer(MCP_MORE);
    }

    static void ofServe(UsageMessageSpec help) {
        help.header("Serve sessions over HTTP and WebSocket.")
                .synopsisHeading(USAGE)
                .customSynopsis("belay serve [OPTION...]")
                .description(SERVE)
                .optionListHeading(OPTIONS)
                .footer(SERVE_MORE);
    }

    static void ofDoctor(UsageMessageSpec help) {
        help.header("Show what this machine offers, and what Belay does with it.")
                .synopsisHeading(USAGE)
                .customSynopsis("belay doctor [OPTION...]")
                .description(DOCTOR)
                .optionListHeading(OPTIONS)
                .footer(DOCTOR_MORE);
    }
}
