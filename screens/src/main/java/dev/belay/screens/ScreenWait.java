package dev.belay.screens;

import dev.belay.Activity;
import dev.belay.Deadline;
import dev.belay.Session;
import dev.belay.screens.ScreenWaited.Fired;
import java.time.Duration;

/// One wait for a screen, on the waiting thread.
final class ScreenWait {
    private final Screens screens;
    private final Session session;
    private final ScreenWatch watch;
    private final Deadline deadline;

    ScreenWait(Screens screens, Session session, UntilScreen until, Duration timeout) {
        this.screens = screens;
        this.session = session;
        this.watch = new ScreenWatch(screens, session, until);
        this.deadline = Deadline.in(screens.time(), timeout);
    }

    ScreenWaited run() throws InterruptedException {
        Activity activity = session.viewing();
        while (true) {
            ScreenWaited waited = watch.look();
            if (waited != null) {
                return waited;
            }
            if (deadline.passed()) {
                return new ScreenWaited(Fired.TIMEOUT, screens.look(session), "");
            }
            Deadline wake = deadline.earlier(Deadline.in(screens.time(), watch.again()));
            activity.next(Duration.ofNanos(Math.max(1, wake.remainingNanos())));
        }
    }
}
