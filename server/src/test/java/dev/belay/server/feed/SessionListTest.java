package dev.belay.server.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Origin;
import dev.belay.SessionKey;
import dev.belay.SessionRecord;
import dev.belay.SessionState;
import dev.belay.server.attach.KeyboardHold;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The numbers of changes, without a server.
@Tag("any-user")
class SessionListTest {
    private static final long SECOND = 1_000_000_000;

    private final SessionList list = new SessionList(1_000);
    private long nanos;

    private static ListedSession shown(String id, int cols, long end) {
        Instant start = Instant.EPOCH;
        return new ListedSession(
                new SessionRecord(
                        id, "pty", "sh", List.of(), ".", cols, 24, 1, "ann", Map.of(), Origin.API, false, start, null,
                        SessionState.RUNNING, null, null, 0, 0, end, start, null, null),
                null, null, List.of(), null, KeyboardHold.FREE, List.of());
    }

    private void put(String id, String identity, int cols, long end) {
        list.put(new SessionKey(id, "ann"), identity, shown(id, cols, end), list.ticket(), nanos);
    }

    private Changes after(Changes before) {
        return list.since(OptionalLong.of(before.version()));
    }

    @Test
    void countersChangeOnceASecondAndAreSentAlone() {
        put("a", "1", 80, 0);
        Changes first = list.since(OptionalLong.empty());
        put("a", "1", 80, 10);
        assertThat(after(first).none()).as("not yet a second").isTrue();
        nanos += SECOND;
        put("a", "1", 80, 20);
        Changes second = after(first);
        assertThat(second.sessions()).singleElement().satisfies(one -> {
            assertThat(one.whole()).isFalse();
            assertThat(one.json().propertyNames()).containsExactly(
                    "id", "owner", "output_start", "output_end", "last_activity_at", "version");
            assertThat(one.json().get("output_end").asLong()).isEqualTo(20);
        });
        put("a", "1", 81, 30);
        assertThat(after(second).sessions()).as("anything else at once, with all there is").singleElement()
                .satisfies(one -> assertThat(one.json().get("output_end").asLong()).isEqualTo(30));
        assertThat(after(first).sessions()).as("for one who knows less").singleElement()
                .satisfies(one -> assertThat(one.whole()).isTrue());
    }

    @Test
    void aSessionOfTheSameIdIsAnotherOne() {
        put("a", "1", 80, 0);
        Changes first = list.since(OptionalLong.empty());
        put("a", "2", 80, 0);
        Changes next = after(first);
        assertThat(next.gone()).extracting(Changes.Gone::id).containsExactly("a");
        assertThat(next.sessions()).singleElement().satisfies(one -> assertThat(one.whole()).isTrue());
    }

    @Test
    void anOldLookDoesNotReplaceANewerOne() {
        long old = list.ticket();
        put("a", "1", 80, 0);
        Changes first = list.since(OptionalLong.empty());
        list.put(new SessionKey("a", "ann"), "1", shown("a", 70, 0), old, nanos);
        list.retain(Set.of(), old);
        list.gone(new SessionKey("a", "ann"), old);
        assertThat(after(first).none()).isTrue();
    }

    @Test
    void versionsOfOtherRunsAndOldOnesGetEverything() {
        put("a", "1", 80, 0);
        Changes now = list.since(OptionalLong.empty());
        assertThat(now.version()).as("after the start of this run").isGreaterThan(1_000_000);
        assertThat(list.since(OptionalLong.of(999_999)).all()).as("of a run before").isTrue();
        assertThat(list.since(OptionalLong.of(now.version() + 1)).all()).as("of a run to come").isTrue();
        list.forget();
        assertThat(after(now).all()).as("nobody read for long").isTrue();
        assertThat(list.since(OptionalLong.of(list.version())).all()).isFalse();
    }

    @Test
    void whatIsRememberedOfClosedSessionsIsBounded() {
        Changes empty = list.since(OptionalLong.empty());
        for (int i = 0; i < SessionList.MOST_GONE; i++) {
            put("s" + i, "1", 80, 0);
            list.gone(new SessionKey("s" + i, "ann"), list.ticket());
        }
        assertThat(after(empty).all()).isFalse();
        assertThat(after(empty).gone()).hasSize(SessionList.MOST_GONE);
        put("one", "1", 80, 0);
        list.gone(new SessionKey("one", "ann"), list.ticket());
        assertThat(after(empty).all()).as("one more than is remembered").isTrue();
        assertThat(list.size()).isZero();
    }

    /// 500 sessions of which 50 print, with ids as Belay makes them: at most 20 KB each second.
    @Test
    void aSecondOfPrintingTakesLittle() {
        List<String> ids = Stream.generate(() -> UUID.randomUUID().toString()).limit(500).toList();
        ids.forEach(id -> put(id, "1", 80, 0));
        Changes all = list.since(OptionalLong.empty());
        nanos += SECOND;
        ids.subList(0, 50).forEach(id -> put(id, "1", 80, 1_234_567));
        assertThat(after(all).sessions()).hasSize(50);
        assertThat(after(all).json().toString().length()).isLessThan(20_000);
    }

    /// However seldom somebody reads, what they put together from the changes is what there is.
    @Test
    void whoAppliesTheChangesHasTheList() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            SessionList tested = new SessionList(seed);
            Map<String, ListedSession> real = new HashMap<>();
            Map<String, ListedSession> copy = new HashMap<>();
            OptionalLong since = OptionalLong.empty();
            for (int step = 0; step < 200; step++) {
                String id = "s" + random.nextInt(8);
                SessionKey key = new SessionKey(id, "ann");
                nanos += SECOND;
                if (random.nextInt(4) == 0) {
                    real.remove(id);
                    tested.gone(key, tested.ticket());
                } else {
                    ListedSession now = shown(id, 80 + random.nextInt(3), random.nextInt(1000));
                    real.put(id, now);
                    tested.put(key, "life" + random.nextInt(2), now, tested.ticket(), nanos);
                }
                if (random.nextInt(50) == 0) {
                    tested.forget();
                    real.clear();
                }
                if (random.nextInt(5) == 0) {
                    Changes changes = tested.since(since);
                    since = OptionalLong.of(changes.version());
                    apply(changes, copy);
                    assertThat(copy).as("seed %d, step %d", seed, step).isEqualTo(real);
                }
            }
        }
    }

    /// As a client does it.
    private static void apply(Changes changes, Map<String, ListedSession> copy) {
        if (changes.all()) {
            copy.clear();
        }
        changes.gone().forEach(one -> copy.remove(one.id()));
        for (Changes.Change change : changes.sessions()) {
            ListedSession now = change.shown();
            ListedSession before = copy.put(now.record().id(), now);
            if (!change.whole()) {
                assertThat(before).as("only counters differ").isNotNull();
                assertThat(now.differs(before)).isFalse();
            }
        }
    }
}
