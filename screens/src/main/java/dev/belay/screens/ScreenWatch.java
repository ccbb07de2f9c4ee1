package dev.belay.screens;

import com.google.re2j.Matcher;
import dev.belay.Deadline;
import dev.belay.Session;
import dev.belay.screen.Cursor;
import dev.belay.screen.Row;
import dev.belay.screen.Snapshot;
import dev.belay.screens.ScreenWaited.Fired;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Looks at a screen again and again for what an [UntilScreen] asks for. For one thread at a time. A look brings the
/// screen up to date on that thread.
public final class ScreenWatch {
    private static final Duration LONG = Duration.ofDays(1);

    private final Screens screens;
    private final Session session;
    private final UntilScreen until;
    private @Nullable Deadline restful;
    private List<Row> lastRows = List.of();
    private @Nullable Cursor lastCursor;

    public ScreenWatch(Screens screens, Session session, UntilScreen until) {
        this.screens = screens;
        this.session = session;
        this.until = until;
    }

    /// Looks once.
    ///
    /// @return what ends the wait, or null to go on and look again when something happens, or after [#again()]
    public @Nullable ScreenWaited look() {
        // Before the look: once it has exited, the look shows the last of its output.
        boolean exited = session.exit().isPresent();
        boolean over = session.drained();
        Snapshot screen = screens.look(session);
        if (until.match != null) {
            Matcher matcher = until.match.matcher(text(screen));
            if (matcher.find()) {
                return new ScreenWaited(Fired.MATCH, screen, matcher.group());
            }
        }
        if (over || (exited && until.exit)) {
            return new ScreenWaited(Fired.EXIT, screen, "");
        }
        if (until.settled != null && settled(screen, until.settled)) {
            return new ScreenWaited(Fired.SETTLED, screen, "");
        }
        return null;
    }

    /// When to look again even if nothing happens; at least a moment.
    public Duration again() {
        return restful == null ? LONG : Duration.ofNanos(Math.max(1, restful.remainingNanos()));
    }

    private boolean settled(Snapshot screen, Duration quiet) {
        boolean same = sameRows(screen.rows()) && screen.cursor().equals(lastCursor);
        if (!screen.modes().synchronizedUpdate() && same && restful != null) {
            return restful.passed();
        }
        if (!screen.modes().synchronizedUpdate()) {
            lastRows = screen.rows();
            lastCursor = screen.cursor();
            restful = Deadline.in(screens.time(), quiet);
        } else {
            restful = null;
        }
        return false;
    }

    /// Whether the rows show the same. Their offsets may differ: a program may have drawn the same again.
    private boolean sameRows(List<Row> rows) {
        if (rows.size() != lastRows.size()) {
            return false;
        }
        for (int i = 0; i < rows.size(); i++) {
            Row now = rows.get(i);
            Row before = lastRows.get(i);
            if (!now.text().equals(before.text()) || !now.spans().equals(before.spans())) {
                return false;
            }
        }
        return true;
    }

    private static String text(Snapshot screen) {
        StringBuilder text = new StringBuilder();
        for (Row row : screen.rows()) {
            if (!text.isEmpty() && !row.wrapped()) {
                text.append('\n');
            }
            text.append(row.text());
        }
        return text.toString();
    }
}
