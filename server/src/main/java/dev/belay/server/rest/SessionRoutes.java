package dev.belay.server.rest;

import dev.belay.Closed;
import dev.belay.Mode;
import dev.belay.OutputLog;
import dev.belay.ReadResult;
import dev.belay.Resources;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Signal;
import dev.belay.Size;
import dev.belay.Until;
import dev.belay.Waited;
import dev.belay.server.Json;
import dev.belay.server.attach.Inputs;
import dev.belay.server.attach.Leases;
import dev.belay.server.auth.Access;
import dev.belay.server.auth.Authority;
import dev.belay.server.auth.Door;
import dev.belay.server.auth.Login;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Everything under `/api/sessions` but the upgrade to a WebSocket.
public final class SessionRoutes {
    private static final int STANDARD_READ = 64 << 10;
    private static final Duration STANDARD_WAIT = Duration.ofSeconds(55);

    private final Authority authority;
    private final Access access;
    private final Inputs inputs;
    private final Leases leases;
    private final int maxInputBytes;

    public SessionRoutes(Authority authority, Access access, Inputs inputs, Leases leases, int maxInputBytes) {
        this.authority = authority;
        this.access = access;
        this.inputs = inputs;
        this.leases = leases;
        this.maxInputBytes = maxInputBytes;
    }

    List<Route> routes() {
        return List.of(
                new Route("POST", "/api/sessions", this::open),
                new Route("GET", "/api/sessions", this::list),
                new Route("GET", "/api/sessions/{id}", this::show),
                new Route("DELETE", "/api/sessions/{id}", this::close),
                new Route("GET", "/api/sessions/{id}/output", this::output),
                new Route("POST", "/api/sessions/{id}/input", this::input),
                new Route("POST", "/api/sessions/{id}/resize", this::resize),
                new Route("POST", "/api/sessions/{id}/signal", this::signal),
                new Route("POST", "/api/sessions/{id}/wait", this::await),
                new Route("POST", "/api/sessions/{id}/lease", this::lease));
    }

    private void open(Exchange exchange) throws InterruptedException {
        Login login = exchange.login(authority);
        exchange.mayTakeLong();
        Body body = exchange.json();
        Resources resources = body.object("resources").map(SessionRoutes::resources).orElse(Resources.AS_BELAY);
        SessionSpec spec = spec(body).resources(resources);
        Session session = access.open(login, Door.API, spec);
        exchange.reply(201, Json.of(session.snapshot()));
    }

    /// What a client asks to be opened: `command` with its arguments, or `cmd` for a shell; neither: a login shell.
    public static SessionSpec spec(Body body) {
        List<String> command = command(body.texts("command").orElse(null), body.text("cmd").orElse(null));
        SessionSpec spec = SessionSpec.of(command)
                .workdir(body.text("workdir").orElse("."))
                .env(body.map("env"))
                .mode(mode(body))
                .timeout(body.millis("timeout_ms").orElse(null))
                .idleTimeout(body.millis("idle_timeout_ms").orElse(null));
        for (Map.Entry<String, String> label : body.map("labels").entrySet()) {
            spec = spec.label(label.getKey(), label.getValue());
        }
        String id = body.text("id").orElse(null);
        // Kept for terminals whose client goes away; here no client is attached that could.
        body.flag("keep");
        body.requireNoMore();
        return id == null ? spec : spec.id(id);
    }

    private static Resources resources(Body body) {
        Resources resources = new Resources(
                body.millis("cpu_ms").orElse(null),
                body.number("memory_bytes").orElse(null),
                body.number("file_bytes").orElse(null),
                body.number("open_files").orElse(null),
                body.number("processes").orElse(null),
                body.number("core_bytes").orElse(null),
                body.object("together").map(SessionRoutes::together).orElse(null));
        body.requireNoMore();
        return resources;
    }

    private static Resources.Together together(Body body) {
        Resources.Together together = new Resources.Together(
                body.number("memory_bytes").orElse(null),
                body.number("processes").orElse(null),
                body.decimal("cores").orElse(null));
        body.requireNoMore();
        return together;
    }

    private static List<String> command(@Nullable List<String> command, @Nullable String cmd) {
        if (command != null && cmd != null) {
            throw Exchange.invalid("Give command or cmd, not both.");
        }
        if (command != null) {
            return command;
        }
        String shell = System.getenv().getOrDefault("SHELL", "/bin/sh");
        return cmd != null ? List.of("/bin/sh", "-c", cmd) : List.of(shell, "-l");
    }

    private static Mode mode(Body body) {
        String mode = body.text("mode").orElse("pty");
        Size size = size(body);
        return switch (mode.toLowerCase(Locale.ROOT)) {
            case "pty" -> new Mode.Pty(size);
            case "pipe" -> new Mode.Pipe();
            default -> throw Exchange.invalid("mode is pty or pipe.");
        };
    }

    /// The size that a client asks for.
    public static Size resize(Body body) {
        if (body.count("cols").isEmpty() || body.count("rows").isEmpty()) {
            throw Exchange.invalid("A resize has cols and rows.");
        }
        return size(body);
    }

    private static Size size(Body body) {
        return new Size(
                body.count("cols").orElse(Size.DEFAULT.cols()), body.count("rows").orElse(Size.DEFAULT.rows()));
    }

    private void list(Exchange exchange) {
        ArrayNode sessions = Json.array();
        access.list(exchange.login(authority)).forEach(session -> sessions.add(Json.of(session.snapshot())));
        exchange.reply(Json.object().set("sessions", sessions));
    }

    private void show(Exchange exchange) {
        Session session = access.see(exchange.login(authority), exchange.path("id"));
        ObjectNode record = Json.of(session.snapshot());
        exchange.reply(record.put("keyboard", session.keyboardHolder().orElse(null)));
    }

    private void close(Exchange exchange) {
        Session session = access.drive(exchange.login(authority), exchange.path("id"));
        exchange.mayTakeLong();
        Closed closed = session.close(exchange.queryFlag("force"));
        exchange.reply(Json.put(Json.object().put("id", session.id()), closed));
    }

    private void output(Exchange exchange) throws InterruptedException {
        Session session = access.see(exchange.login(authority), exchange.path("id"));
        OutputLog log = session.output();
        long from = exchange.queryNumber("from").orElse(log.start());
        int max = Math.clamp(exchange.queryNumber("max").orElse((long) STANDARD_READ), 1,
                OutputLog.MAX_READ_BYTES);
        Duration wait = atMost(
                exchange, Duration.ofMillis(exchange.queryNumber("wait_ms").orElse(0L)));
        exchange.mayTakeLong();
        ReadResult result = log.read(from, max, wait);
        exchange.header("Belay-Output-Start", Long.toString(log.start()));
        exchange.header("Belay-Output-Next", Long.toString(result.next()));
        exchange.header("Belay-Exited", Boolean.toString(session.exit().isPresent()));
        switch (result) {
            case ReadResult.Chunk chunk -> exchange.reply("application/octet-stream", chunk.bytes());
            case ReadResult.Gap gap -> {
                exchange.header("Belay-Gap", gap.lostBytes() + " " + gap.reason().name().toLowerCase(Locale.ROOT));
                exchange.reply("application/octet-stream", new byte[0]);
            }
            case ReadResult.End _ -> {
                exchange.header("Belay-End", "true");
                exchange.reply("application/octet-stream", new byte[0]);
            }
        }
    }

    private void input(Exchange exchange) throws InterruptedException {
        Login login = exchange.login(authority);
        Session session = access.drive(login, exchange.path("id"));
        boolean newline = exchange.queryFlag("newline");
        byte[] bytes = exchange.bytes(maxInputBytes);
        byte[] all = newline ? Arrays.copyOf(bytes, bytes.length + 1) : bytes;
        if (newline) {
            all[bytes.length] = '\n';
        }
        exchange.mayTakeLong();
        int taken = inputs.write(session, all, exchange.query("input_id").orElse(null));
        leases.heard(session, login);
        exchange.reply(Json.object().put("taken", taken));
    }

    private void resize(Exchange exchange) {
        Session session = access.drive(exchange.login(authority), exchange.path("id"));
        Body body = exchange.json();
        Size size = resize(body);
        body.requireNoMore();
        session.resize(size);
        exchange.reply(Json.object().put("cols", size.cols()).put("rows", size.rows()));
    }

    private void signal(Exchange exchange) {
        Session session = access.drive(exchange.login(authority), exchange.path("id"));
        Body body = exchange.json();
        Signal signal = Signal.of(body.text("signal").orElseThrow(() -> Exchange.invalid("Name a signal: SIGINT.")));
        body.requireNoMore();
        session.signal(signal);
        exchange.reply(Json.object().put("signal", signal.name()));
    }

    private void await(Exchange exchange) throws InterruptedException {
        Session session = access.see(exchange.login(authority), exchange.path("id"));
        Body body = exchange.json();
        Until until = until(body);
        long from = body.number("from").orElse(session.output().start());
        Duration timeout = atMost(exchange, body.millis("timeout_ms").orElse(STANDARD_WAIT));
        body.requireNoMore();
        exchange.mayTakeLong();
        Waited waited = session.cursor(from).await(until, timeout);
        exchange.reply(Json.object()
                .put("wait_result", waited.fired().name().toLowerCase(Locale.ROOT))
                .put("offset", waited.offset())
                .put("text", waited.text())
                .put("exit_code", session.snapshot().exitCode()));
    }

    private static Until until(Body body) {
        Until until = null;
        String match = body.text("match").orElse(null);
        Duration idle = body.millis("idle_ms").orElse(null);
        if (match != null) {
            until = Until.match(match);
        }
        if (idle != null) {
            until = until == null ? Until.idle(idle) : until.orIdle(idle);
        }
        if (body.flag("exit").orElse(until == null)) {
            until = until == null ? Until.exited() : until.orExited();
        }
        if (until == null) {
            throw Exchange.invalid("Say what to wait for: match, idle_ms or exit.");
        }
        return until;
    }

    private static Duration atMost(Exchange exchange, Duration asked) {
        Duration most = exchange.limits().maxWait();
        return asked.compareTo(most) < 0 ? asked : most;
    }

    private void lease(Exchange exchange) {
        Login login = exchange.login(authority);
        Session session = access.drive(login, exchange.path("id"));
        Body body = exchange.json();
        String action = body.text("action").orElse("");
        boolean isPrivate = body.flag("private").orElse(false);
        Duration timeout = body.millis("timeout_ms").orElse(null);
        body.requireNoMore();
        leases.act(session, login, action, isPrivate, timeout);
        exchange.reply(Json.object().put("holder", session.keyboardHolder().orElse(null)));
    }
}
