package dev.belay.agent;

import dev.belay.Waited;
import java.util.Locale;

/// What ended the wait of a call.
enum CallEnd {
    MATCH,
    IDLE,
    EXIT,
    INPUT,
    SCREEN,
    SETTLED,
    CUT,
    APPROVAL,
    TIMEOUT;

    static CallEnd of(Waited.Fired fired) {
        return switch (fired) {
            case MATCH -> MATCH;
            case IDLE -> IDLE;
            case EXIT -> EXIT;
            case INPUT -> INPUT;
            case CUT -> CUT;
            case APPROVAL -> APPROVAL;
            case SEEN, OFFSET, TIMEOUT -> TIMEOUT;
        };
    }

    /// The name in an answer. A call that made way has waited as long as it could.
    String label() {
        return (this == CUT ? TIMEOUT : this).name().toLowerCase(Locale.ROOT);
    }
}
