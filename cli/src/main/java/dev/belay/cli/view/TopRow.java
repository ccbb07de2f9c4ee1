package dev.belay.cli.view;

import dev.belay.Visible;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/// A session in the list of `belay top`, with the rate of its output. For one thread.
final class TopRow {
    private static final double NANOS = 1e9;

    private JsonNode record;
    private long countedBytes;
    private long countedAt;
    private double rate;

    /// @param now a time in nanoseconds
    TopRow(JsonNode record, long now) {
        this.record = record;
        this.countedBytes = printed();
        this.countedAt = now;
    }

    /// The name of a session in a list: `OWNER/ID`.
    static String name(JsonNode record) {
        return record.path("owner").asString("") + "/" + record.path("id").asString("");
    }

    String name() {
        return name(record);
    }

    JsonNode record() {
        return record;
    }

    void record(JsonNode now) {
        record = now;
    }

    String id() {
        return record.path("id").asString("");
    }

    String owner() {
        return record.path("owner").asString("");
    }

    long printed() {
        return record.path("output_end").asLong(0);
    }

    /// Bytes a second.
    double rate() {
        return rate;
    }

    /// Counts what was printed since the last time.
    void count(long now) {
        double seconds = (now - countedAt) / NANOS;
        if (seconds > 0) {
            rate = Math.max(0, printed() - countedBytes) / seconds;
            countedBytes = printed();
            countedAt = now;
        }
    }

    boolean exited() {
        return record.path("state").asString("").equals("exited");
    }

    boolean waits() {
        return !exited() && Words.waits(record);
    }

    /// Whether it waits for something that is not shown while it is typed, such as a password.
    boolean asksSecret() {
        return waits() && record.path("input").path("echo_off").asBoolean(false);
    }

    /// How urgent it is: the smaller, the more.
    int rank() {
        return exited() ? 3 : asksSecret() ? 0 : waits() ? 1 : 2;
    }

    String state() {
        return asksSecret() ? "secret" : Words.state(record);
    }

    /// What it calls itself, on one line.
    String title() {
        return Visible.of(record.path("title").asString(""));
    }

    boolean isPipe() {
        return record.path("backend").asString("").equals("pipe");
    }

    /// Whether all these words occur in it.
    boolean matches(String words) {
        StringBuilder all = new StringBuilder(name()).append(' ').append(Words.command(record)).append(' ')
                .append(state()).append(' ').append(title());
        record.path("labels").properties().forEach(
                label -> all.append(' ').append(label.getKey()).append('=').append(label.getValue().asString("")));
        String text = all.toString().toLowerCase(Locale.ROOT);
        return words.isBlank() || java.util.Arrays.stream(words.strip().toLowerCase(Locale.ROOT).split("\\s+", 0))
                .allMatch(text::contains);
    }
}
