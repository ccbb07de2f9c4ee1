package dev.belay.server.rest;

import dev.belay.Deadline;
import dev.belay.ErrorCode;
import dev.belay.Mode;
import dev.belay.Quoted;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.access.ActorSessions;
import dev.belay.mcp.Answers;
import dev.belay.screens.Found;
import dev.belay.screens.Repaint;
import dev.belay.screens.Screens;
import dev.belay.screens.Since;
import dev.belay.screens.Thumbnail;
import dev.belay.server.auth.Access;
import dev.belay.server.auth.Authority;
import dev.belay.server.wire.Headers;
import dev.belay.server.wire.Json;
import dev.belay.server.wire.Requests;
import dev.belay.server.wire.ScreenJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// What sessions show, for clients that do not follow their output, and search in it.
public final class ScreenRoutes {
    /// The most screens of one request.
    private static final int MOST_SCREENS = 64;
    private static final int STANDARD_MATCHES = 100;
    private static final int MOST_MATCHES = 1000;
    /// How long a search in all sessions looks for more.
    private static final Duration SEARCH_TIME = Duration.ofSeconds(2);

    private final Authority authority;
    private final Access access;
    private final Screens screens;

    public ScreenRoutes(Authority authority, Access access, Screens screens) {
        this.authority = authority;
        this.access = access;
        this.screens = screens;
    }

    List<Route> routes() {
        return List.of(
                Route.of("GET", "/api/sessions/{id}/screen", this::screen, "at", "since", "history", "format"),
                Route.of("GET", "/api/sessions/{id}/search", this::search, "match", "most"),
                Route.of("GET", "/api/sessions/{id}/commands", this::commands),
                Route.of("GET", "/api/screens", this::screens, "ids", "since", "wait_ms"),
                Route.of("GET", "/api/search", this::searchAll, "match", "most"));
    }

    private ActorSessions sessions(Exchange exchange) {
        return access.of(exchange.login(authority));
    }

    private Session see(Exchange exchange) {
        return sessions(exchange).see(exchange.path("id"), exchange.query(Route.OWNER).orElse(null));
    }

    private void screen(Exchange exchange) {
        Session session = see(exchange);
        OptionalLong at = exchange.queryNumber("at").map(OptionalLong::of).orElse(OptionalLong.empty());
        int history = (int) Math.min(exchange.queryNumber("history").orElse(0L), Integer.MAX_VALUE);
        OptionalLong since = exchange.queryNumber("since").map(OptionalLong::of).orElse(OptionalLong.empty());
        switch (exchange.query("format").orElse("text")) {
            case "text" -> exchange.reply(ScreenJson.of(screens.look(session, at, history), since, false));
            case "spans" -> exchange.reply(ScreenJson.of(screens.look(session, at, history), since, true));
            case "repaint" -> {
                if (since.isPresent()) {
                    throw Requests.invalid("A repaint is whole; leave out since, or ask for format=text or spans.");
                }
                repaint(exchange, screens.repaint(session, at, history));
            }
            default -> throw Requests.invalid("format must be text, spans or repaint.");
        }
    }

    private static void repaint(Exchange exchange, Repaint paint) {
        exchange.header(Headers.OUTPUT_NEXT, Long.toString(paint.offset()));
        exchange.header(Headers.SCREEN_SIZE, paint.size().cols() + "x" + paint.size().rows());
        exchange.reply("application/octet-stream", paint.bytes());
    }

    private void commands(Exchange exchange) {
        ObjectNode reply = Json.object();
        ArrayNode commands = reply.putArray("commands");
        screens.commands(see(exchange)).forEach(command -> commands.add(Answers.of(command)));
        exchange.reply(reply);
    }

    // --- many screens ---

    private void screens(Exchange exchange) throws InterruptedException {
        ActorSessions sessions = sessions(exchange);
        List<String> offsets = list(exchange, "since");
        ObjectNode reply = Json.object();
        ArrayNode missing = reply.putArray("missing");
        List<Since> asked = new ArrayList<>();
        List<String> ids = list(exchange, "ids");
        if (offsets.size() > 1 && offsets.size() != ids.size()) {
            throw Requests.invalid("since takes one offset for all ids, or one for each.");
        }
        for (int i = 0; i < ids.size(); i++) {
            String id = ids.get(i);
            long since = offsets.isEmpty() ? 0 : offset(offsets.get(offsets.size() == 1 ? 0 : i));
            unlessGone(() -> named(sessions, id)).ifPresentOrElse(
                    session -> asked.add(new Since(session, since)), () -> missing.add(id));
        }
        if (ids.isEmpty()) {
            long since = offsets.isEmpty() ? 0 : offset(offsets.getFirst());
            terminals(sessions).forEach(session -> asked.add(new Since(session, since)));
        }
        if (asked.size() > MOST_SCREENS) {
            throw Requests.invalid(
                    "One request gets at most " + MOST_SCREENS + " screens, not " + asked.size()
                            + "; name them in ids.");
        }
        Duration wait = exchange.atMost(Duration.ofMillis(exchange.queryNumber("wait_ms").orElse(0L)));
        exchange.mayTakeLong();
        ArrayNode changed = reply.putArray("screens");
        List<Since> known = new ArrayList<>();
        for (Since one : asked) {
            if (one.offset() > 0) {
                known.add(one);
            } else {
                unlessGone(() -> screens.look(one.session()))
                        .ifPresent(now -> changed.add(ScreenJson.of(one.session(), now, now.rows())));
            }
        }
        if (!known.isEmpty()) {
            for (Thumbnail one : screens.thumbnails(known, changed.isEmpty() ? wait : Duration.ZERO)) {
                changed.add(ScreenJson.of(one.session(), one.snapshot(), one.changed()));
            }
        }
        exchange.reply(reply);
    }

    /// A session as `ID` or `OWNER/ID`.
    private static Session named(ActorSessions sessions, String name) {
        int slash = name.indexOf('/');
        return slash < 0
                ? sessions.see(name, null)
                : sessions.see(name.substring(slash + 1), name.substring(0, slash));
    }

    private static List<String> list(Exchange exchange, String name) {
        return exchange.query(name).filter(text -> !text.isEmpty()).map(text -> List.of(text.split(",", -1)))
                .orElse(List.of());
    }

    private static long offset(String text) {
        if (!text.matches("\\d{1,18}")) {
            throw Requests.invalid("since takes offsets separated by commas, not " + Quoted.of(text) + ".");
        }
        return Long.parseLong(text);
    }

    private static List<Session> terminals(ActorSessions sessions) {
        return sessions.list().stream().filter(session -> session.spec().mode() instanceof Mode.Pty).toList();
    }

    /// Runs something for a session; empty if it does not exist, or was closed meanwhile.
    private static <T> Optional<T> unlessGone(Supplier<T> look) {
        try {
            return Optional.of(look.get());
        } catch (SessionException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    // --- search ---

    private void search(Exchange exchange) {
        Session session = see(exchange);
        String match = match(exchange);
        exchange.mayTakeLong();
        exchange.reply(found(session, screens.search(session, match, most(exchange))));
    }

    private void searchAll(Exchange exchange) {
        String match = match(exchange);
        int left = most(exchange);
        exchange.mayTakeLong();
        ActorSessions sessions = sessions(exchange);
        List<Session> newest = terminals(sessions).stream()
                .sorted(Comparator.comparing((Session one) -> one.snapshot().startedAt()).reversed())
                .toList();
        ArrayNode results = Json.array();
        Deadline end = Deadline.in(sessions.time(), SEARCH_TIME);
        boolean incomplete = false;
        for (Session session : newest) {
            incomplete = left == 0 || end.passed();
            if (incomplete) {
                break;
            }
            int most = left;
            List<Found> found = unlessGone(() -> screens.search(session, match, most)).orElse(List.of());
            if (!found.isEmpty()) {
                results.add(found(session, found));
                left -= found.size();
            }
        }
        exchange.reply(Json.object().put("incomplete", incomplete).set("results", results));
    }

    private static String match(Exchange exchange) {
        return exchange.query("match").filter(text -> !text.isEmpty())
                .orElseThrow(() -> Requests.invalid("Say what to look for: match=REGEX."));
    }

    private static int most(Exchange exchange) {
        long most = exchange.queryNumber("most").orElse((long) STANDARD_MATCHES);
        if (most < 1 || most > MOST_MATCHES) {
            throw Requests.invalid("most is from 1 to " + MOST_MATCHES + ".");
        }
        return (int) most;
    }

    private static ObjectNode found(Session session, List<Found> lines) {
        ArrayNode matches = Json.array();
        lines.forEach(line -> matches.add(Json.object()
                .put("row", line.row())
                .put("offset", line.offset())
                .put("text", line.text())
                .put("from", line.from())
                .put("to", line.to())
                .put("certain", line.certain())));
        return Json.object()
                .put("id", session.id())
                .put("owner", session.spec().owner())
                .set("matches", matches);
    }
}
