package dev.belay.server.attach;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// How a client wants to view a session. The same for every door.
///
/// @param from    the offset to begin with; empty: with a repaint, or else the oldest byte still kept
/// @param screen  whether the viewer takes repaints: to begin with, after each gap, and instead of skipped output
/// @param history how many rows above the screen a repaint has at most
/// @param skip    a repaint is sent instead of more output than this; 0: never
/// @param answers whether the viewer is a terminal that answers questions itself
public record ViewOptions(
        OptionalLong from, Viewer.Mode mode, boolean screen, int history, long skip, boolean answers) {
    private static final long HISTORY_ROWS = 1000;
    private static final long LEAST_SKIP_BYTES = 4096;

    /// Output from an offset on.
    public static ViewOptions of(OptionalLong from, Viewer.Mode mode) {
        return new ViewOptions(from, mode, false, 0, 0, false);
    }

    /// What a client asks for.
    ///
    /// @param answers `viewer` or `server`; null: the server
    public static ViewOptions of(
            OptionalLong from,
            Viewer.Mode mode,
            boolean screen,
            Optional<Long> history,
            Optional<Long> skip,
            @Nullable String answers) {
        if (!screen && (history.isPresent() || skip.isPresent())) {
            throw invalid("history and skip apply only to repaints; attach with screen.");
        }
        long rows = history.orElse(screen ? HISTORY_ROWS : 0L);
        if (rows < 0) {
            throw invalid("history must be 0 or more rows.");
        }
        if (skip.isPresent() && skip.get() < LEAST_SKIP_BYTES) {
            throw invalid("skip is a number of bytes, from " + LEAST_SKIP_BYTES + " on.");
        }
        boolean itself = answers(answers);
        if (itself && mode != Viewer.Mode.WRITE) {
            throw invalid("A viewer that answers questions types the answers; attach in write mode.");
        }
        if (itself && skip.isPresent()) {
            throw invalid("A viewer that answers questions must get all of them; attach without skip.");
        }
        return new ViewOptions(
                from, mode, screen, (int) Math.min(rows, Integer.MAX_VALUE), skip.orElse(0L), itself);
    }

    private static boolean answers(@Nullable String by) {
        if (by == null) {
            return false;
        }
        return switch (by) {
            case "server" -> false;
            case "viewer" -> true;
            default -> throw invalid("answers must be viewer or server.");
        };
    }

    private static SessionException invalid(String message) {
        return new SessionException(ErrorCode.INVALID_REQUEST, message);
    }
}
