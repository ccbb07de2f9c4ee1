package dev.belay.cli.view;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// The sessions of `belay top`: sorted, filtered, one of them selected. For one thread.
final class TopRows {
    private final Map<String, TopRow> all = new LinkedHashMap<>();
    private List<TopRow> shown = List.of();
    private SortOrder order = SortOrder.URGENCY;
    private boolean reversed;
    private String filter = "";
    private @Nullable String selected;
    private int place;
    private boolean chosen;

    /// Takes in the sessions that there are now.
    void set(Iterable<JsonNode> records, long now) {
        Map<String, TopRow> known = new LinkedHashMap<>(all);
        all.clear();
        for (JsonNode record : records) {
            String name = TopRow.name(record);
            TopRow one = known.get(name);
            // The same id again after a close is another session.
            if (one == null || !one.record().path("started_at").equals(record.path("started_at"))) {
                one = new TopRow(record, now);
            }
            one.record(record);
            all.put(name, one);
        }
        arrange();
    }

    /// Computes rates.
    void count(long now) {
        all.values().forEach(one -> one.count(now));
        arrange();
    }

    private void arrange() {
        shown = all.values().stream().filter(one -> one.matches(filter)).sorted(order.comparator(reversed)).toList();
        if (!chosen) {
            select(0); // until a person moves, the first one
            return;
        }
        for (int i = 0; i < shown.size(); i++) {
            if (shown.get(i).name().equals(selected)) {
                place = i;
                return;
            }
        }
        // It is gone: the one that moved up to its place is next.
        select(place);
    }

    private void select(int at) {
        place = Math.clamp(at, 0, Math.max(0, shown.size() - 1));
        selected = shown.isEmpty() ? null : shown.get(place).name();
    }

    void move(int by) {
        chosen = true;
        select(Math.clamp((long) place + by, 0, Integer.MAX_VALUE));
    }

    void filter(String words) {
        filter = words;
        arrange();
    }

    String filter() {
        return filter;
    }

    void sort(SortOrder by, boolean backwards) {
        order = by;
        reversed = backwards;
        arrange();
    }

    SortOrder order() {
        return order;
    }

    boolean reversed() {
        return reversed;
    }

    List<TopRow> shown() {
        return shown;
    }

    /// Where the selected one is among those shown.
    int place() {
        return place;
    }

    @Nullable TopRow selected() {
        return shown.isEmpty() ? null : shown.get(place);
    }

    int size() {
        return all.size();
    }

    long waiting() {
        return all.values().stream().filter(TopRow::waits).count();
    }

    long running() {
        return all.values().stream().filter(one -> !one.exited()).count();
    }

    double rate() {
        return all.values().stream().mapToDouble(TopRow::rate).sum();
    }

    List<String> ids() {
        List<String> ids = new ArrayList<>();
        all.values().forEach(one -> ids.add(one.id()));
        return ids;
    }
}
