package dev.belay.server.terminal;

import dev.belay.SessionException;
import dev.belay.server.wire.Json;
import tools.jackson.databind.node.ObjectNode;

/// Answers to events: `{ok: true, ...}`, or `{ok: false, error: {code, message, ...}}`.
final class EventReplies {
    private EventReplies() {}

    static ObjectNode ok() {
        return Json.object().put("ok", true);
    }

    static ObjectNode refused(SessionException refusal) {
        return Json.object().put("ok", false).set("error", Json.of(refusal));
    }
}
