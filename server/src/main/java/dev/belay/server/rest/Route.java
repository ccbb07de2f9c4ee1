package dev.belay.server.rest;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A method and a path with places in braces, and what answers it.
record Route(String method, String template, Action action) {
    /// What answers a request; may block.
    @FunctionalInterface
    interface Action {
        void answer(Exchange exchange) throws Exception;
    }

    /// What stands in the places if the path is of this route, else null.
    @Nullable Map<String, String> match(List<String> path) {
        List<String> parts = List.of(template.substring(1).split("/", -1));
        if (parts.size() != path.size()) {
            return null;
        }
        Map<String, String> places = new HashMap<>();
        for (int i = 0; i < parts.size(); i++) {
            String part = parts.get(i);
            if (part.startsWith("{")) {
                places.put(part.substring(1, part.length() - 1), path.get(i));
            } else if (!part.equals(path.get(i))) {
                return null;
            }
        }
        return places;
    }
}
