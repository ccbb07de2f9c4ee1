package dev.belay.server.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Doorbell;
import dev.belay.Time;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The bounds of what is remembered of events.
@Tag("any-user")
class HistoryTest {
    @Test
    void onlyTheLastEventsAreKept() {
        History history = new History(Time.system(), new Doorbell());
        for (int i = 0; i < History.MOST + 10; i++) {
            history.called("ann", "tool", "s" + i);
        }
        assertThat(history.count()).isEqualTo(History.MOST + 10);
        assertThat(history.kept()).isEqualTo(History.MOST);
    }
}
