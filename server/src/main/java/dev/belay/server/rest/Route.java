package dev.belay.server.rest;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A method and a path with places in braces, and what answers it.
///
/// @param open  whether it answers somebody who is not signed in
/// @param query the query parameters that it takes
record Route(String method, String template, boolean open, List<String> query, Action action) {
    /// The query parameter that says whose session of an id is meant; every route of a session takes it.
    static final String OWNER = "owner";

    /// What answers a request; may block.
    @FunctionalInterface
    interface Action {
        void answer(Exchange exchange) throws Exception;
    }

    /// A route for those who have signed in.
    static Route of(String method, String template, Action action, String... query) {
        List<String> names = List.of(query);
        if (template.contains("{id}")) {
            String[] more = Arrays.copyOf(query, query.length + 1);
            more[query.length] = OWNER;
            names = List.of(more);
        }
        return new Route(method, template, false, names, action);
    }

    /// A route for everybody.
    static Route open(String method, String template, Action action) {
        return new Route(method, template, true, List.of(), action);
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
