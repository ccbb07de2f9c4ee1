package dev.belay.cli.view;

import java.util.Comparator;
import java.util.List;

/// How `belay top` sorts sessions.
enum Order {
    URGENCY("needs you"),
    RATE("rate"),
    OUTPUT("output"),
    ACTIVITY("activity"),
    AGE("age"),
    OWNER("owner"),
    ID("id");

    private final String label;

    Order(String label) {
        this.label = label;
    }

    /// What it sorts by, in words.
    String label() {
        return label;
    }

    Comparator<Listed> comparator(boolean reversed) {
        Comparator<Listed> order = switch (this) {
            case URGENCY -> Comparator.comparingInt(Listed::rank);
            case RATE -> Comparator.comparingDouble(Listed::rate).reversed();
            case OUTPUT -> Comparator.comparingLong(Listed::printed).reversed();
            case ACTIVITY -> Comparator.comparing((Listed one) -> text(one, "last_activity_at")).reversed();
            case AGE -> Comparator.comparing((Listed one) -> text(one, "started_at"));
            case OWNER -> Comparator.comparing(Listed::owner);
            case ID -> Comparator.comparing(Listed::id);
        };
        return (reversed ? order.reversed() : order).thenComparing(Listed::id).thenComparing(Listed::owner);
    }

    Order next() {
        List<Order> all = List.of(values());
        return all.get((all.indexOf(this) + 1) % all.size());
    }

    private static String text(Listed one, String field) {
        return one.record().path(field).asString("");
    }
}
