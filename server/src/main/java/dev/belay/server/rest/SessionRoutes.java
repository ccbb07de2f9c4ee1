package dev.belay.server.rest;

import dev.belay.Closed;
import dev.belay.OutputLog;
import dev.belay.ProcessRecord;
import dev.belay.ReadResult;
import dev.belay.Session;
import dev.belay.Signal;
import dev.belay.Size;
import dev.belay.Time;
import dev.belay.Until;
import dev.belay.Waited;
import dev.belay.server.attach.Leases;
import dev.belay.server.auth.Access;
import dev.belay.server.auth.Authority;
import dev.belay.server.auth.Login;
import dev.belay.server.feed.Feed;
import dev.belay.server.wire.Headers;
import dev.belay.server.wire.Json;
import dev.belay.server.wire.RequestFields;
import dev.belay.server.wire.Requests;
import dev.belay.server.wire.SpecFields;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Everything under `/api/sessions` except the upgrade to a WebSocket.
public final class SessionRoutes {
    private static final int STANDARD_READ = 64 << 10;
    /// How many processes are listed in full.
    private static final int MOST_PROCESSES = 1000;
    private static final Duration STANDARD_WAIT = Duration.ofSeconds(55);

    private final Authority authority;
    private final Access access;
    private final Leases leases;
    private final Feed feed;
    private final int maxInputBytes;

    public SessionRoutes(Authority authority, Access access, Leases leases, Feed feed, int maxInputBytes) {
        this.authority = authority;
        this.access = access;
        this.leases = leases;
        this.feed = feed;
        this.maxInputBytes = maxInputBytes;
    }

    List<Route> routes() {
        return List.of(
                Route.of("POST", "/api/sessions", this::open),
                Route.of("GET", "/api/sessions", this::list, "since", "wait_ms"),
                Route.of("GET", "/api/sessions/{id}", this::show),
                Route.of("DELETE", "/api/sessions/{id}", this::close, "force"),
                Route.of("GET", "/api/sessions/{id}/output", this::output, "from", "max", "wait_ms"),
                Route.of("POST", "/api/sessions/{id}/input", this::input, "newline", "input_id"),
                Route.of("POST", "/api/sessions/{id}/resize", this::resize),
                Route.of("POST", "/api/sessions/{id}/signal", this::signal),
                Route.of("POST", "/api/sessions/{id}/wait", this::await),
                Route.of("POST", "/api/sessions/{id}/lease", this::lease),
                Route.of("GET", "/api/sessions/{id}/processes", this::processes));
    }

    private Session see(Exchange exchange) {
        return access.of(exchange.login(authority)).see(exchange.path("id"), exchange.query(Route.OWNER).orElse(null));
    }

    private Session drive(Exchange exchange) {
        return access.of(exchange.login(authority)).drive(exchange.path("id"),
                exchange.query(Route.OWNER).orElse(null));
    }

    private void open(Exchange exchange) throws InterruptedException {
        Login login = exchange.login(authority);
        exchange.mayTakeLong();
        Session session = access.of(login).open(SpecFields.ofProgram(exchange.json()));
        exchange.reply(201, feed.show(session).json());
    }

    private void list(Exchange exchange) throws InterruptedException {
        OptionalLong since = exchange.since();
        Duration wait = exchange.waitAfter(since);
        exchange.mayTakeLong();
        exchange.reply(feed.since(access.of(exchange.login(authority)), since, wait).json());
    }

    private void show(Exchange exchange) {
        exchange.reply(feed.show(see(exchange)).json());
    }

    private void close(Exchange exchange) {
        Session session = drive(exchange);
        exchange.mayTakeLong();
        Closed closed = session.close(exchange.queryFlag("force"));
        exchange.reply(Json.put(Json.object().put("id", session.id()), closed));
    }

    private void output(Exchange exchange) throws InterruptedException {
        Session session = see(exchange);
        OutputLog log = session.output();
        long from = exchange.queryNumber("from").orElse(log.start());
        int max = Math.clamp(exchange.queryNumber("max").orElse((long) STANDARD_READ), 1,
                OutputLog.MAX_READ_BYTES);
        Duration wait = exchange.atMost(Duration.ofMillis(exchange.queryNumber("wait_ms").orElse(0L)));
        exchange.mayTakeLong();
        ReadResult result = log.read(from, max, wait);
        exchange.header(Headers.OUTPUT_START, Long.toString(log.start()));
        exchange.header(Headers.OUTPUT_NEXT, Long.toString(result.next()));
        exchange.header(Headers.EXITED, Boolean.toString(session.exit().isPresent()));
        switch (result) {
            case ReadResult.Chunk chunk -> exchange.reply("application/octet-stream", chunk.bytes());
            case ReadResult.Gap gap -> {
                exchange.header(Headers.GAP, gap.lostBytes() + " " + gap.reason().name().toLowerCase(Locale.ROOT));
                exchange.reply("application/octet-stream", new byte[0]);
            }
            case ReadResult.End _ -> {
                exchange.header(Headers.END, "true");
                exchange.reply("application/octet-stream", new byte[0]);
            }
        }
    }

    private void input(Exchange exchange) throws InterruptedException {
        Login login = exchange.login(authority);
        Session session = drive(exchange);
        boolean newline = exchange.queryFlag("newline");
        byte[] bytes = exchange.bytes(maxInputBytes);
        byte[] all = newline ? Arrays.copyOf(bytes, bytes.length + 1) : bytes;
        if (newline) {
            all[bytes.length] = '\n';
        }
        exchange.mayTakeLong();
        String inputId = exchange.query("input_id").orElse(null);
        int taken = inputId == null ? session.write(all) : session.writeOnce(all, inputId);
        leases.heard(session, login);
        exchange.reply(Json.object().put("taken", taken));
    }

    private void resize(Exchange exchange) {
        Session session = drive(exchange);
        RequestFields body = exchange.json();
        Size size = SpecFields.resize(body);
        body.requireNoMore();
        session.resize(size);
        exchange.reply(Json.object().put("cols", size.cols()).put("rows", size.rows()));
    }

    private void signal(Exchange exchange) {
        Session session = drive(exchange);
        RequestFields body = exchange.json();
        Signal signal = Signal.of(body.text("signal").orElseThrow(() -> Requests.invalid("Name a signal: SIGINT.")));
        body.requireNoMore();
        session.signal(signal);
        exchange.reply(Json.object().put("signal", signal.name()));
    }

    private void await(Exchange exchange) throws InterruptedException {
        Session session = see(exchange);
        RequestFields body = exchange.json();
        boolean input = body.flag("input").orElse(false);
        Duration idle = body.millis("idle_ms").orElse(null);
        Until until = until(body, input ? null : idle, input);
        long from = body.number("from").orElse(session.output().start());
        Duration timeout = exchange.atMost(body.millis("timeout_ms").orElse(STANDARD_WAIT));
        body.requireNoMore();
        exchange.mayTakeLong();
        String result;
        Waited waited;
        if (input) {
            Time time = access.of(exchange.login(authority)).time();
            InputWait.Outcome outcome = new InputWait(time, session, until, idle).await(from, timeout);
            result = outcome.result();
            waited = outcome.waited();
        } else {
            waited = session.cursor(from).await(until, timeout);
            result = name(waited);
        }
        exchange.reply(Json.object()
                .put("wait_result", result)
                .put("offset", waited.offset())
                .put("text", waited.text())
                .put("exit_code", session.snapshot().exitCode()));
    }

    static String name(Waited waited) {
        return waited.fired().name().toLowerCase(Locale.ROOT);
    }

    /// @param input whether the wait also ends when a program waits for input; it always ends with the exit then
    private static Until until(RequestFields body, @Nullable Duration idle, boolean input) {
        Until until = null;
        String match = body.text("match").orElse(null);
        if (match != null) {
            until = Until.match(match);
        }
        if (idle != null) {
            until = until == null ? Until.idle(idle) : until.orIdle(idle);
        }
        if (body.flag("exit").orElse(until == null) || (input && until == null)) {
            until = until == null ? Until.exited() : until.orExited();
        }
        if (until == null) {
            throw Requests.invalid("Say what to wait for: match, idle_ms, exit or input.");
        }
        return until;
    }

    private void lease(Exchange exchange) {
        Login login = exchange.login(authority);
        Session session = drive(exchange);
        RequestFields body = exchange.json();
        String action = body.text("action").orElse("");
        boolean isPrivate = body.flag("private").orElse(false);
        Duration timeout = body.millis("timeout_ms").orElse(null);
        body.requireNoMore();
        leases.act(session, login, action, isPrivate, timeout);
        exchange.reply(Json.object().put("holder", session.keyboardHolder().orElse(null)));
    }

    private void processes(Exchange exchange) {
        Session session = drive(exchange);
        ObjectNode reply = Json.object();
        ArrayNode shown = reply.putArray("processes");
        List<ProcessRecord> all = session.processes();
        for (ProcessRecord process : all.subList(0, Math.min(MOST_PROCESSES, all.size()))) {
            shown.addObject()
                    .put("pid", process.pid())
                    .put("parent", process.parent())
                    .put("command", process.command())
                    .put("state", process.state().name().toLowerCase(Locale.ROOT))
                    .put("foreground", process.foreground())
                    .put("started_at", process.startedAt().toString())
                    .put("cpu_ms", process.cpu().toMillis())
                    .put("memory_bytes", process.memoryBytes());
        }
        exchange.reply(reply.put("count", all.size()));
    }
}
