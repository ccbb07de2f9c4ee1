package dev.belay.cli.view;

import java.util.Comparator;
import java.util.List;

/// How `belay top` sorts sessions.
enum SortOrder {
    URGENCY("needs you"),
    RATE("rate"),
    OUTPUT("output"),
    ACTIVITY("activity"),
    AGE("age"),
    OWNER("owner"),
    ID("id");

    private final String label;

    SortOrder(String label) {
        this.label = label;
    }

    /// What it sorts by, in words.
    String label() {
        return label;
    }

    Comparator<TopRow> comparator(boolean reversed) {
        Comparator<TopRow> order = switch (this) {
            case URGENCY -> Comparator.comparingInt(TopRow::rank);
            case RATE -> Comparator.comparingDouble(TopRow::rate).reversed();
            case OUTPUT -> Comparator.comparingLong(TopRow::printed).reversed();
            case ACTIVITY -> Comparator.comparing((TopRow one) -> text(one, "last_activity_at")).reversed();
            case AGE -> Comparator.comparing((TopRow one) -> text(one, "started_at"));
            case OWNER -> Comparator.comparing(TopRow::owner);
            case ID -> Comparator.comparing(TopRow::id);
        };
        return (reversed ? order.reversed() : order).thenComparing(TopRow::id).thenComparing(TopRow::owner);
    }

    SortOrder next() {
        List<SortOrder> all = List.of(values());
        return all.get((all.indexOf(this) + 1) % all.size());
    }

    private static String text(TopRow one, String field) {
        return one.record().path(field).asString("");
    }
}
