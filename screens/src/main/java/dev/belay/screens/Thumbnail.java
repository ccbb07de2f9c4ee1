package dev.belay.screens;

import dev.belay.Session;
import dev.belay.screen.Row;
import dev.belay.screen.Snapshot;
import java.util.List;

/// A session's screen as a dashboard shows it.
///
/// Rows keep their numbers when they scroll. A row of the snapshot that is not among the changed ones is the one that
/// was known by its number.
///
/// @param snapshot the whole screen; ask again with its offset
/// @param changed  the rows that are new or have changed since the offset that was asked with
public record Thumbnail(Session session, Snapshot snapshot, List<Row> changed) {
    public Thumbnail {
        changed = List.copyOf(changed);
    }

    static Thumbnail of(Since since, Snapshot snapshot) {
        return new Thumbnail(
                since.session(),
                snapshot,
                snapshot.rows().stream()
                        .filter(row -> since.offset() == 0 || row.changed() > since.offset())
                        .toList());
    }
}
