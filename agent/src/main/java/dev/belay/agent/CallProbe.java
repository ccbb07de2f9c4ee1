package dev.belay.agent;

import dev.belay.Session;
import dev.belay.Until;
import dev.belay.screens.ScreenWaited;
import dev.belay.screens.ScreenWatch;
import dev.belay.screens.Screens;
import dev.belay.screens.UntilScreen;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Looks, while a call waits, for what its output alone does not tell: what the screen shows, and the end of a command
/// in a shell. For the thread that waits.
final class CallProbe implements Until.Probe {
    private static final Duration WHEN_SOMETHING_HAPPENS = Duration.ofDays(1);

    private final @Nullable ScreenWatch watch;
    private final @Nullable ShellWatch shell;
    private CallEnd seen = CallEnd.TIMEOUT;

    /// @param shell the shell that the call's command runs in, if it does
    CallProbe(Screens screens, Session session, @Nullable UntilScreen until, @Nullable ShellWatch shell) {
        this.shell = shell;
        this.watch = until == null ? null : new ScreenWatch(screens, session, until);
    }

    /// What it saw last.
    CallEnd seen() {
        return seen;
    }

    @Override
    public Duration look() {
        if (shell != null && shell.ended() != null) {
            seen = CallEnd.EXIT;
            return Duration.ZERO;
        }
        ScreenWaited waited = watch == null ? null : watch.look();
        if (waited == null) {
            return watch == null ? WHEN_SOMETHING_HAPPENS : watch.again();
        }
        seen = switch (waited.fired()) {
            case MATCH -> CallEnd.SCREEN;
            case SETTLED -> CallEnd.SETTLED;
            case EXIT -> CallEnd.EXIT;
            case TIMEOUT -> CallEnd.TIMEOUT;
        };
        return Duration.ZERO;
    }
}
