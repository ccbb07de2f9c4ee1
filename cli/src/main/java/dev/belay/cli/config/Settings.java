package dev.belay.cli.config;

import dev.belay.Limits;
import dev.belay.Network;
import dev.belay.Origin;
import dev.belay.Resources;
import dev.belay.agent.AgentSettings;
import dev.belay.agent.ExecRules;
import dev.belay.agent.ReadyRules;
import dev.belay.server.settings.ServerSettings.Tls;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlTable;

/// The table of all settings: name, accepted values, the part of [Config] it sets (and so its default), whether it
/// needs a restart, and what it does. [SettingsFile] reads a file with this table. The template of
/// `belay serve --print-config`, docs/settings.md and the check of a reload come from it.
///
/// To add a setting: add its line here, and use it in [SettingsFile].
final class Settings {
    private static final int MEBIBYTE = 1 << 20;
    private static final int MANY = 1_000_000;
    private static final String NO_LIMIT = "no limit";

    private Settings() {}

    // --- [server] ---

    private static final Group SERVER = Group.table("server", "Where the server listens, and for whom.");
    static final Setting<String> HOST = SERVER.fixed("host", Kind.TEXT, c -> c.server().binding().host(),
            "Address to listen on.");
    static final Setting<Integer> PORT = SERVER.fixed("port", Kind.count(0, 65_535), c -> c.server().binding().port(),
            "Port to listen on. 0 picks a free one.");
    static final Setting<List<String>> ALLOWED_HOSTS = SERVER.live("allowed_hosts", Kind.HOSTS,
            c -> c.server().allowedHosts(), "Other names of this server, with their port: [\"box.example:10000\"].");
    static final Setting<List<String>> ALLOWED_ORIGINS = SERVER.live("allowed_origins", Kind.ORIGINS,
            c -> c.server().allowedOrigins(),
            "Origins of other pages that may use this server, exactly as browsers send them: [\"tauri://localhost\"].");
    static final Setting<String> TLS_CERT = SERVER.add("tls_cert", Kind.TEXT,
            c -> file(c, Tls::certificate),
            "\"cert.pem\"", "plain HTTP", true,
            "PEM file with the certificate chain. A new certificate in the same file needs no restart.");
    static final Setting<String> TLS_KEY = SERVER.add("tls_key", Kind.TEXT,
            c -> file(c, Tls::key),
            "\"key.pem\"", "plain HTTP", true, "PEM file with the private key (PKCS#8) of `tls_cert`.");
    static final Setting<Boolean> INSECURE = SERVER.fixed("insecure", Kind.FLAG, Config::insecure,
            "Listen on addresses other than loopback without TLS.");

    // --- [server.http] ---

    private static final Group HTTP = Group.table("server.http", "Limits of HTTP requests and connections.");
    static final Setting<Long> HEADER_BYTES = HTTP.fixed("header_bytes", Kind.size(1024, MEBIBYTE),
            c -> (long) c.server().http().headerBytes(), "Largest request line and headers together.");
    static final Setting<Long> JSON_BYTES = HTTP.live("json_bytes", Kind.size(1024, 64L * MEBIBYTE),
            c -> (long) c.server().http().jsonBytes(), "Largest JSON body.");
    static final Setting<Integer> JSON_DEPTH = HTTP.live("json_depth", Kind.count(2, 1000),
            c -> c.server().http().jsonDepth(), "Deepest nesting of a JSON body.");
    static final Setting<Duration> HEADER_TIMEOUT = HTTP.fixed("header_timeout", Kind.POSITIVE_TIME,
            c -> c.server().http().headerTimeout(), "How long the headers of a request may take to arrive.");
    static final Setting<Duration> BODY_TIMEOUT = HTTP.live("body_timeout", Kind.POSITIVE_TIME,
            c -> c.server().http().bodyTimeout(), "How long the body of a request may take to arrive.");
    static final Setting<Duration> IDLE_TIMEOUT = HTTP.fixed("idle_timeout", Kind.POSITIVE_TIME,
            c -> c.server().http().idleTimeout(), "How long a connection may be idle.");
    static final Setting<Duration> MAX_WAIT = HTTP.live("max_wait", Kind.POSITIVE_TIME,
            c -> c.server().http().maxWait(), "Longest time that a request may wait for a session.");
    static final Setting<Integer> MAX_CONNECTIONS = HTTP.fixed("max_connections", Kind.count(1, MANY),
            c -> c.server().http().maxConnections(), "Connections at once.");
    static final Setting<Integer> MAX_UNAUTHENTICATED = HTTP.fixed("max_unauthenticated", Kind.count(1, MANY),
            c -> c.server().http().maxUnauthenticated(),
            "Connections and Socket.IO handshakes that have not signed in. At most a quarter of `max_connections`.");
    static final Setting<Integer> MAX_UNAUTHENTICATED_PER_ADDRESS = HTTP.fixed("max_unauthenticated_per_address",
            Kind.count(1, MANY), c -> c.server().http().maxUnauthenticatedPerAddress(),
            "Of these, from one address. Loopback has no limit of its own: everyone on the machine shares it.");
    static final Setting<Integer> CONVERSATIONS = HTTP.live("conversations", Kind.count(1, MANY),
            c -> c.server().http().conversations(), "MCP conversations at once, per principal.");
    static final Setting<Duration> CONVERSATION_IDLE = HTTP.live("conversation_idle", Kind.POSITIVE_TIME,
            c -> c.server().http().conversationIdle(),
            "How long an MCP conversation may be idle before it is forgotten. Its sessions stay.");

    // --- [server.viewers] ---

    private static final Group VIEWERS = Group.table("server.viewers", "Limits of clients that watch a session.");
    static final Setting<Long> WINDOW = VIEWERS.live("window", Kind.size(4096, 64L * MEBIBYTE),
            c -> (long) c.server().viewers().windowBytes(),
            "How far output may run ahead of a viewer that acknowledges it.");
    static final Setting<Long> FRAME = VIEWERS.live("frame", Kind.size(1024, MEBIBYTE),
            c -> (long) c.server().viewers().frameBytes(), "Most output in one message.");
    static final Setting<Duration> STALL = VIEWERS.live("stall", Kind.POSITIVE_TIME, c -> c.server().viewers().stall(),
            "How long a viewer's connection may accept no data before it is closed.");
    static final Setting<Integer> PER_SESSION = VIEWERS.live("per_session", Kind.count(1, 100_000),
            c -> c.server().viewers().perSession(), "Viewers of one session at once.");

    // --- [server.logins] ---

    private static final Group LOGINS = Group.table("server.logins", "Signing in.");
    static final Setting<Integer> FAILURES = LOGINS.live("failures", Kind.count(1, 100_000),
            c -> c.server().logins().failures(), "Failed logins that one address may have within `per`.");
    static final Setting<Duration> FAILURES_PER = LOGINS.live("per", Kind.POSITIVE_TIME, c -> c.server().logins().per(),
            "The time that `failures` counts in.");
    static final Setting<Duration> TICKET = LOGINS.live("ticket", Kind.POSITIVE_TIME, c -> c.server().logins().ticket(),
            "How long a ticket can be used.");
    static final Setting<Duration> CONSOLE_TICKET = LOGINS.live("console_ticket", Kind.POSITIVE_TIME,
            c -> c.server().logins().console(), "How long the link that `belay serve` prints can be used.");
    static final Setting<Duration> TAB = LOGINS.live("tab", Kind.POSITIVE_TIME, c -> c.server().logins().tab(),
            "How long a browser tab may be idle before it has to sign in again.");

    // --- [sessions] ---

    private static final Group SESSIONS = Group.table("sessions", "Limits of sessions.");
    static final Setting<Integer> MAX_SESSIONS = SESSIONS.live("max_sessions", Kind.count(0, 100_000),
            c -> Objects.requireNonNullElse(c.server().maxSessions(), 0),
            "Sessions of a server at once. 0: as many as the machine has room for.");
    static final Setting<Long> LOG_BYTES = SESSIONS.live("log_bytes",
            Kind.size(Limits.MIN_LOG_BYTES, Long.MAX_VALUE), c -> c.limits().logBytes(),
            "Output kept per session. Older output is dropped.");
    static final Setting<Long> MAX_INPUT_BYTES = SESSIONS.fixed("max_input_bytes", Kind.size(1, 64L * MEBIBYTE),
            c -> (long) c.limits().maxInputBytes(), "Largest single input. A lower value needs no restart.");
    static final Setting<Duration> WRITE_TIMEOUT = SESSIONS.live("write_timeout", Kind.ANY_TIME,
            c -> c.limits().writeTimeout(), "How long input waits for a program that does not read.");
    static final Setting<Optional<Duration>> TIMEOUT = SESSIONS.live("timeout", Kind.TIME_OR_NONE,
            c -> Optional.ofNullable(c.limits().timeout()),
            "Longest time that a session may run. A session that asks for more gets this.");
    static final Setting<Duration> CLOSE_GRACE = SESSIONS.live("close_grace", Kind.ANY_TIME,
            c -> c.limits().closeGrace(), "Time between the polite signals and SIGKILL when a session is closed.");
    static final Setting<Duration> RETENTION = SESSIONS.live("retention", Kind.ANY_TIME,
            c -> c.limits().retention(),
            "How long a session stays readable after its exit. Then it is closed, with everything it left running.");
    static final Setting<Integer> MAX_RETAINED = SESSIONS.live("max_retained", Kind.count(0, MANY),
            c -> c.limits().maxRetained(),
            "How many exited sessions stay readable. Beyond that, the oldest quarter is closed.");
    static final Setting<Optional<Duration>> TERMINAL_IDLE_TIMEOUT = SESSIONS.live("terminal_idle_timeout",
            Kind.TIME_OR_NONE, c -> Optional.ofNullable(c.server().doors().terminalIdleTimeout()),
            "How long a terminal may be idle before it is closed.");
    static final Setting<Duration> TERMINAL_PACE = SESSIONS.live("terminal_pace", Kind.ANY_TIME,
            c -> c.server().doors().terminalPace(), "Shortest time between two new terminals of one principal.");
    static final Setting<Integer> TERMINAL_QUEUE = SESSIONS.live("terminal_queue", Kind.count(0, 1000),
            c -> c.server().doors().terminalQueue(),
            "How many new terminals of one principal may wait for `terminal_pace`.");
    static final Setting<Duration> RECONNECT_GRACE = SESSIONS.live("reconnect_grace", Kind.ANY_TIME,
            c -> c.server().doors().reconnectGrace(),
            "How long a terminal waits for a client that lost its connection.");

    // --- [screens] ---

    private static final Group SCREENS = Group.table("screens", "The screens of sessions; see docs/screen.md.");
    static final Setting<Long> SCREEN_MEMORY = SCREENS.fixed("memory", Kind.size(0, Long.MAX_VALUE),
            c -> c.screens().warmBytes(), "Memory for all screens that are kept ready.");
    static final Setting<Duration> SCREEN_WARM_FOR = SCREENS.fixed("warm_for", Kind.ANY_TIME,
            c -> c.screens().warmFor(), "How long a screen stays ready after its last use.");
    static final Setting<Integer> SCREEN_ANSWERS = SCREENS.fixed("answers_per_second", Kind.count(0, MANY),
            c -> c.screens().repliesPerSecond(),
            "Most answers to questions that the programs of a session ask their terminal. 0: none.");
    static final Setting<Duration> SCREEN_ANSWER_WITHIN = SCREENS.fixed("answer_within", Kind.ANY_TIME,
            c -> c.screens().replyWithin(),
            "How long an answer waits for a program to leave the terminal's line mode.");
    static final Setting<Duration> SCREEN_LATE_AFTER = SCREENS.fixed("late_after", Kind.POSITIVE_TIME,
            c -> c.screens().lateAfter(), "Questions that were found later than this get no answer.");
    static final Setting<Long> SCREEN_LATE_BYTES = SCREENS.fixed("late_bytes", Kind.size(4096, 64L * MEBIBYTE),
            c -> (long) c.screens().lateBytes(),
            "Most output searched for questions at once. If there is more, only its end is searched.");
    static final Setting<Duration> SCREEN_THUMBNAIL_EVERY = SCREENS.fixed("thumbnail_every", Kind.POSITIVE_TIME,
            c -> c.screens().thumbnailEvery(), "Shortest time between two thumbnails of a session.");

    // --- [resources] ---

    private static final Group RESOURCES = Group.table("resources",
            "Limits of each process of a session. Without them a process may use what Belay itself may.");
    static final Setting<Duration> CPU = limit(RESOURCES, "cpu", Kind.time(Duration.ofSeconds(1)),
            c -> c.resources().cpu(), "\"1h\"", "CPU time, in whole seconds.");
    static final Setting<Long> MEMORY = limit(RESOURCES, "memory", Kind.size(1, Long.MAX_VALUE),
            c -> c.resources().memoryBytes(), "\"4 GiB\"", "Address space.");
    static final Setting<Long> FILE_SIZE = limit(RESOURCES, "file_size", Kind.size(1, Long.MAX_VALUE),
            c -> c.resources().fileBytes(), "\"1 GiB\"", "Size of a file that a process writes.");
    static final Setting<Integer> OPEN_FILES = limit(RESOURCES, "open_files", Kind.count(1, Integer.MAX_VALUE),
            c -> whole(c.resources().openFiles()), "1024", "Open files.");
    static final Setting<Integer> PROCESSES = limit(RESOURCES, "processes", Kind.count(1, Integer.MAX_VALUE),
            c -> whole(c.resources().processes()), "4096",
            "Processes of the user, not just of the session. Does not apply to root.");
    static final Setting<Long> CORE_SIZE = RESOURCES.add("core_size", Kind.size(0, Long.MAX_VALUE),
            c -> c.resources().coreBytes(), "0", "no core dumps if the session has any limit", false,
            "Size of a core dump.");

    private static final Group TOGETHER = Group.table("resources.together",
            "Limits of all processes of a session together. They need cgroup v2, see docs/operations.md.");
    static final Setting<Long> TOGETHER_MEMORY = limit(TOGETHER, "memory", Kind.size(1, Long.MAX_VALUE),
            c -> together(c).memoryBytes(), "\"8 GiB\"", "Memory, without swap.");
    static final Setting<Integer> TOGETHER_PROCESSES = limit(TOGETHER, "processes", Kind.count(1, Integer.MAX_VALUE),
            c -> whole(together(c).processes()), "512", "Processes and threads at once.");
    static final Setting<Double> TOGETHER_CORES = limit(TOGETHER, "cores", Kind.decimal(0.01),
            c -> together(c).cores(), "1.5", "CPU cores. 1.5 is one core and half of another.");

    // --- [isolation] ---

    private static final Group ISOLATION = Group.table("isolation",
            "What sessions may touch, see docs/guard.md. A session or a principal may ask for less, never for more.");
    static final Setting<String> TIER = ISOLATION.live("tier", Kind.word("none", "limits", "sandbox"),
            c -> c.isolation().tier().label(),
            "\"none\": no restrictions. \"limits\": no new privileges, such as sudo. \"sandbox\": only what the"
                    + " settings below allow.");
    static final Setting<List<String>> BY = ISOLATION.fixed("by", Kind.words("bubblewrap", "landlock"), Config::by,
            "What may enforce sandboxes: the first that works. \"landlock\" needs no user namespaces, but enforces"
                    + " less; see docs/guard.md.");
    static final Setting<String> RUN_AS = ISOLATION.fixed("run_as", Kind.TEXT, Config::runAs,
            "User that sandboxes run as, by name or number. Needed if Belay runs as root. \"\": Belay's own user.");
    static final Setting<String> FILES = ISOLATION.live("files", Kind.word("workspace", "read-only"),
            c -> c.isolation().readOnly() ? "read-only" : "workspace",
            "What a sandbox may write: the workspace, or nothing.");
    static final Setting<Network> NETWORK = ISOLATION.live("network", Kind.NETWORK, c -> c.isolation().network(),
            "\"off\", \"on\", or the hosts that a sandbox may reach: [\"github.com\", \"*.npmjs.org:443\"].");
    static final Setting<List<String>> READABLE = ISOLATION.live("readable", Kind.PATHS,
            c -> texts(c.isolation().readable()), "Other paths that a sandbox may read: [\"~/.m2\"].");
    static final Setting<List<String>> WRITABLE = ISOLATION.live("writable", Kind.PATHS,
            c -> texts(c.isolation().writable()), "Other paths that a sandbox may read and write.");
    static final Setting<List<String>> HIDDEN = ISOLATION.live("hidden", Kind.PATHS,
            c -> texts(c.isolation().hidden()),
            "Files and folders that a sandbox does not show, although they are below others that it shows:"
                    + " [\"/etc/letsencrypt\"].");
    static final Setting<Long> TMP = ISOLATION.live("tmp", Kind.size(MEBIBYTE, Long.MAX_VALUE),
            c -> c.isolation().tmpBytes(),
            "How much fits into `/tmp` of a sandbox, into its home folder, and into `/dev/shm`.");
    static final Setting<List<String>> PROTECTED = ISOLATION.live("protected", Kind.TEXTS,
            c -> c.isolation().protectedPaths(),
            "Paths in the workspace that a sandbox may not change, relative to it. \".git\" means Git's settings and"
                    + " hooks. See docs/guard.md.");

    // --- [approvals] ---

    private static final Group APPROVALS = Group.table("approvals",
            "Which programs sessions may start. agent.rules decides; see docs/guard.md.");
    static final Setting<List<String>> WATCH = APPROVALS.live("watch", Kind.words("agent", "terminal", "api"),
            c -> c.approvals().watch().stream().map(Origin::label).sorted().toList(),
            "Which sessions are watched, by who opened them. The rules decide about each program they start.");
    static final Setting<String> OTHERWISE = APPROVALS.live("otherwise", Kind.word("allow", "ask", "deny"),
            c -> c.approvals().policy() instanceof ExecRules rules
                    ? rules.otherwise().name().toLowerCase(Locale.ROOT)
                    : "allow",
            "What happens to a program of a watched session that no rule matches.");
    static final Setting<Duration> APPROVAL_TIMEOUT = APPROVALS.live("timeout", Kind.POSITIVE_TIME,
            c -> c.approvals().timeout(), "How long a question stays open. Then the program is refused.");
    static final Setting<Integer> MAX_PENDING = APPROVALS.live("max_pending", Kind.count(1, 1000),
            c -> c.approvals().most(), "Open questions per session. Beyond that, programs are refused.");
    static final Setting<Integer> MAX_WAITING = APPROVALS.live("max_waiting", Kind.count(1, 10_000),
            c -> c.approvals().waiting(),
            "Processes that may wait for the answer to one question. Beyond that, programs are refused.");

    // --- [agent] ---

    private static final Group AGENT = Group.table("agent", "The agent tools, over MCP.");
    static final Setting<Integer> AGENT_SESSIONS = AGENT.live("max_sessions", Kind.count(1, 100_000),
            c -> c.agent().maxSessions(),
            "Sessions at once in `belay mcp` without a server. On a server, `quota.agent_sessions` applies.");
    static final Setting<Duration> AGENT_IDLE = AGENT.live("idle_timeout", Kind.ANY_TIME, c -> c.agent().idleTimeout(),
            "How long a session may be idle before it is closed. \"0s\": forever.");
    static final Setting<Duration> MAX_CALL = AGENT.live("max_call_ms", Kind.millis(1), c -> c.agent().maxCall(),
            "Longest time that a call waits. Keep it below the client's own timeout.");
    static final Setting<Duration> YIELD = AGENT.live("yield_time_ms", Kind.millis(0), c -> c.agent().yield(),
            "Longest time that a call waits by default. It returns earlier if the command exits or asks for input.");
    static final Setting<Duration> TOOLCHAIN_YIELD = AGENT.live("toolchain_yield_time_ms", Kind.millis(0),
            c -> c.agent().toolchainYield(), "The same for compilers, builds and other development tools.");
    static final Setting<Duration> POLL = AGENT.live("poll_time_ms", Kind.millis(0), c -> c.agent().poll(),
            "The same for a `write_stdin` that types nothing.");
    static final Setting<String> RESULTS = AGENT.live("results", Kind.word("text", "structured", "both"),
            c -> c.results().word(),
            "What answers carry: text for a model, structured JSON for a program, or both.");
    static final Setting<String> SHELL = AGENT.add("shell", Kind.TEXT, c -> c.agent().shell(),
            "\"/bin/bash\"", "your login shell, else bash, else sh", false, "Shell that runs commands.");
    static final Setting<String> PROFILE = AGENT.live("profile", Kind.word("agent", "none"),
            c -> c.agent().env().keySet().containsAll(AgentSettings.PROFILE.keySet()) ? "agent" : "none",
            "\"agent\" sets variables that turn off pagers, editors and prompts. \"none\" sets nothing.");
    static final Setting<Map<String, String>> AGENT_ENV = AGENT.add("env", Kind.VARIABLES,
            c -> beyondProfile(c.agent().env()), "{ CI = \"1\" }", "none", false,
            "More environment variables, on top of the profile.");

    private static final Group RULES = Group.list("agent.rules",
            "Rules for agents' commands, and for programs of watched sessions. The first rule that matches decides.");
    static final Setting<String> RULE_NAME = entry(RULES, "name", Kind.TEXT, "\"no-push\"", "none",
            "Name of the rule, required unless it is `ready`. Agents see it when it denies a command.");
    static final Setting<String> RULE_ACTION = entry(RULES, "action", Kind.word("deny", "ask", "allow"),
            "\"deny\"", "\"deny\"",
            "What to do if the rule matches. \"ask\" needs a watched session; elsewhere it denies.");
    static final Setting<String> RULE_READY = entry(RULES, "ready",
            Kind.word(Stream.of(ReadyRules.values()).map(ReadyRules::label).toArray(String[]::new)), "\"publish\"",
            "none", "Uses rules that come with Belay, instead of `programs`, `args`, `has` and `match`.");
    static final Setting<List<String>> RULE_PROGRAMS = entry(RULES, "programs", Kind.TEXTS, "[\"git\"]",
            "every program",
            "Programs that the rule applies to, by name or path. A rule needs `programs`, `has` or `match`.");
    static final Setting<List<String>> RULE_ARGS = entry(RULES, "args", Kind.TEXTS, "[\"status\"]",
            "any arguments", "The first arguments, exactly.");
    static final Setting<List<String>> RULE_HAS = entry(RULES, "has", Kind.TEXTS, "[\"push\"]",
            "any arguments", "Arguments, of which the command has at least one, in any place. Not for \"allow\".");
    static final Setting<String> RULE_WORKDIR = entry(RULES, "workdir", Kind.TEXT, "\"/srv/project\"",
            "any folder", "Folder that the program runs in, or one above it. In watched sessions only.");
    static final Setting<List<String>> RULE_PRINCIPALS = entry(RULES, "principals", Kind.TEXTS, "[\"coder\"]",
            "everybody", "Owners of the sessions. In watched sessions only.");
    static final Setting<String> RULE_MATCH = entry(RULES, "match", Kind.TEXT, "\"^git push\"", "every command",
            "Regular expression that the command has to match.");

    // --- [quota], [[principals]], [env] ---

    private static final Group QUOTA = Group.table("quota",
            "What a principal may use, unless its own entry says otherwise.");
    static final Setting<Integer> QUOTA_SESSIONS = QUOTA.live("sessions", Kind.count(0, MANY),
            c -> c.server().quota().sessions(), "Sessions at once.");
    static final Setting<Integer> QUOTA_AGENT_SESSIONS = QUOTA.live("agent_sessions", Kind.count(0, MANY),
            c -> c.server().quota().agentSessions(), "Of these, sessions that agents opened.");
    static final Setting<Integer> QUOTA_TERMINAL_SESSIONS = QUOTA.live("terminal_sessions", Kind.count(0, MANY),
            c -> c.server().quota().terminalSessions(), "Of these, terminals.");
    static final Setting<Integer> QUOTA_CREATIONS = QUOTA.live("creations", Kind.count(1, MANY),
            c -> c.server().quota().creations(), "Sessions opened within `per`.");
    static final Setting<Duration> QUOTA_PER = QUOTA.live("per", Kind.POSITIVE_TIME, c -> c.server().quota().per(),
            "The time that `creations` counts in.");
    static final Setting<Long> QUOTA_KEPT_BYTES = QUOTA.live("kept_bytes", Kind.size(0, Long.MAX_VALUE),
            c -> c.server().quota().keptBytes(), "Output kept for all sessions together.");

    private static final Group PRINCIPALS = Group.list("principals",
            "Who may sign in, besides `admin`, whose token is in the state folder.");
    static final Setting<String> PRINCIPAL_NAME = entry(PRINCIPALS, "name", Kind.TEXT, "\"alice\"", "none",
            "Name of the principal, required.");
    static final Setting<String> PRINCIPAL_ROLE = entry(PRINCIPALS, "role",
            Kind.word("user", "admin", "watch"), "\"user\"", "\"user\"",
            "\"user\": its own sessions. \"admin\": all sessions. \"watch\": reads all sessions, changes none.");
    static final Setting<List<String>> PRINCIPAL_TOKENS = entry(PRINCIPALS, "tokens", Kind.TEXTS,
            "[\"sha256:...\"]", "no token: nobody can sign in",
            "Hashes of its tokens. `belay token NAME` makes a token and its hash.");
    static final Setting<TomlTable> PRINCIPAL_QUOTA = entry(PRINCIPALS, "quota", Kind.sameAs("quota"),
            "{ sessions = 20 }", "as in [quota]", "Quota of this principal. Keys left out are as in [quota].");

    static final Setting<TomlTable> PRINCIPAL_ISOLATION = entry(PRINCIPALS, "isolation", Kind.sameAs("isolation"),
            "{ tier = \"sandbox\" }", "as in [isolation]",
            "Isolation of this principal. Keys left out are as in [isolation]; for each, the stricter value applies.");

    static final Setting<List<String>> PRINCIPAL_APPROVERS = entry(PRINCIPALS, "approvers", Kind.TEXTS,
            "[\"alice\", \"client\"]", "admins only",
            "Who may answer for its sessions, besides admins. \"client\": the user of its MCP client.");

    private static final Group ENV = Group.table("env", "The environment of every session.");
    static final Setting<List<String>> ENV_PASS = ENV.fixed("pass", Kind.TEXTS, Config::pass,
            "Names of Belay's own variables to pass on, also into sandboxes and if they look secret:"
                    + " [\"DATABASE_URL\"].");
    static final Setting<Map<String, String>> ENV_SET = ENV.add("set", Kind.VARIABLES, Config::env,
            "{ EDITOR = \"vim\" }", "none", true, "Environment variables.");

    /// All groups, in the order in which they are shown.
    static final List<Group> GROUPS = List.of(
            SERVER, HTTP, VIEWERS, LOGINS, SESSIONS, SCREENS, RESOURCES, TOGETHER, ISOLATION, APPROVALS, AGENT, RULES,
            QUOTA, ENV,
            PRINCIPALS);

    // --- parts of a configuration ---

    private static @Nullable String file(Config config, Function<Tls, Path> file) {
        Tls tls = config.server().binding().tls();
        return tls == null ? null : file.apply(tls).toString();
    }

    private static List<String> texts(List<Path> paths) {
        return paths.stream().map(Path::toString).toList();
    }

    private static Resources.Together together(Config config) {
        Resources.Together together = config.resources().together();
        return together == null ? Resources.Together.UNBOUNDED : together;
    }

    private static Map<String, String> beyondProfile(Map<String, String> env) {
        Map<String, String> more = new HashMap<>(env);
        more.entrySet().removeAll(AgentSettings.PROFILE.entrySet());
        return more;
    }

    private static @Nullable Integer whole(@Nullable Long value) {
        return value == null ? null : (Integer) Math.toIntExact(value);
    }

    private static <T> Setting<T> limit(
            Group group, String key, Kind<T> kind, Function<Config, @Nullable T> value, String example, String help) {
        return group.add(key, kind, value, example, NO_LIMIT, false, help);
    }

    /// A key of a table that may occur many times, so it has no single value.
    private static <T> Setting<T> entry(
            Group group, String key, Kind<T> kind, String example, String unset, String help) {
        return group.add(key, kind, _ -> null, example, unset, false, help);
    }
}
