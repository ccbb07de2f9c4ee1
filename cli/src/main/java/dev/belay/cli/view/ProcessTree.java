package dev.belay.cli.view;

import dev.belay.Visible;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/// The processes of a session as lines: children below their parents.
public final class ProcessTree {
    private ProcessTree() {}

    /// A line for a person.
    ///
    /// @param foreground whether it has the terminal
    record Line(String text, boolean foreground) {}

    static List<Line> lines(JsonNode processes) {
        Map<Long, List<JsonNode>> children = new HashMap<>();
        Set<Long> pids = new HashSet<>();
        processes.forEach(one -> pids.add(one.path("pid").asLong()));
        List<JsonNode> roots = new ArrayList<>();
        for (JsonNode one : processes) {
            long parent = one.path("parent").asLong();
            if (pids.contains(parent) && parent != one.path("pid").asLong()) {
                children.computeIfAbsent(parent, _ -> new ArrayList<>()).add(one);
            } else {
                roots.add(one);
            }
        }
        List<Line> lines = new ArrayList<>();
        add(lines, roots, children, "", true, new HashSet<>());
        return lines;
    }

    private static void add(List<Line> lines, List<JsonNode> siblings, Map<Long, List<JsonNode>> children,
            String indent, boolean root, Set<Long> seen) {
        for (int i = 0; i < siblings.size(); i++) {
            JsonNode one = siblings.get(i);
            boolean last = i == siblings.size() - 1;
            if (seen.add(one.path("pid").asLong())) {
                lines.add(line(one, root ? "" : indent + (last ? "└─ " : "├─ ")));
                add(lines, children.getOrDefault(one.path("pid").asLong(), List.of()), children,
                        root ? "" : indent + (last ? "   " : "│  "), false, seen);
            }
        }
    }

    private static Line line(JsonNode one, String branch) {
        boolean foreground = one.path("foreground").asBoolean(false);
        String numbers = String.format(
                java.util.Locale.ROOT, "%8d %s%-9s %6s %6s ", one.path("pid").asLong(), foreground ? "*" : " ",
                Visible.of(one.path("state").asString("")), cpu(one.path("cpu_ms").asLong(0)),
                Words.bytes((double) one.path("memory_bytes").asLong(0)));
        return new Line(numbers + branch + Visible.of(one.path("command").asString("")), foreground);
    }

    /// CPU time: `0.3s`, `12s`, `5m`.
    private static String cpu(long millis) {
        return millis < 10_000
                ? String.format(java.util.Locale.ROOT, "%.1fs", millis / 1000.0)
                : Words.span(java.time.Duration.ofMillis(millis));
    }
}
