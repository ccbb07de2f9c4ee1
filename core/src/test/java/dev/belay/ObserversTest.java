package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObserversTest {
    @TempDir
    Path folder;

    @Test
    void eventsComeInOrderAndInPairs() throws Exception {
        try (Stage stage = Stage.in(folder)) {
            Stage.Act act = stage.open();
            act.process().emit("abc");
            stage.recorder.await("output a 3");
            act.process().exit(0);
            act.session().close();
            stage.recorder.await("closed a");
            assertThat(stage.recorder.lines()).containsExactly("opened a", "output a 3", "exited a EXIT", "closed a");
        }
    }

    @Test
    void inputThatEndsItsProgramIsToldBeforeTheClose() throws Exception {
        // Time stands still, so nothing is told later.
        try (Stage stage = Stage.in(folder, Limits.DEFAULT, new MovedTime())) {
            Stage.Act act = stage.open();
            act.process().afterInput(() -> act.process().exit(4));
            act.session().write("quit\n");
            act.session().close();
            stage.recorder.await("closed a");
            assertThat(stage.recorder.lines()).containsExactly("opened a", "exited a EXIT", "typed a 5", "closed a");
        }
    }

    @Test
    void everyOpenedHasOneClosedInTheRightOrderForManySessions() throws Exception {
        Stage stage = Stage.in(folder, Limits.DEFAULT.maxSessions(50));
        List<Running<Boolean>> users = new ArrayList<>();
        for (int u = 0; u < 3; u++) {
            String user = "u" + u + "-";
            users.add(Running.start(() -> {
                for (int i = 0; i < 60; i++) {
                    Stage.Act act = stage.open(user + i);
                    if (i % 3 == 0) {
                        act.process().exit(0);
                    }
                    if (i % 5 != 0) {
                        act.session().close();
                    }
                }
                return true;
            }));
        }
        for (Running<Boolean> user : users) {
            user.result();
        }
        stage.close();
        stage.recorder.await(lines -> lines.stream().filter(line -> line.startsWith("closed")).count() == 180);
        List<String> lines = stage.recorder.lines();
        for (int u = 0; u < 3; u++) {
            for (int i = 0; i < 60; i++) {
                String id = "u" + u + "-" + i;
                assertThat(lines.stream().filter(line -> (line + " ").contains(" " + id + " ")).toList())
                        .satisfiesExactly(
                                line -> assertThat(line).startsWith("opened"),
                                line -> assertThat(line).startsWith("exited"),
                                line -> assertThat(line).startsWith("closed"));
            }
        }
    }

    @Test
    void anObserverThatThrowsHurtsNobody() throws Exception {
        SessionObserver bad = new SessionObserver() {
            @Override
            public void opened(SessionRecord session) {
                throw new IllegalStateException("a test's observer that throws");
            }

            @Override
            public void output(String owner, String id, long end) {
                throw new AssertionError("a test's observer that throws");
            }
        };
        try (Stage stage = Stage.in(folder, Limits.DEFAULT, bad, new Recorder())) {
            Stage.Act act = stage.open();
            act.process().emit("x");
            stage.recorder.await("output a 1");
            act.session().close();
            stage.recorder.await("closed a");
            assertThat(stage.sessions.stats().permitsUsed()).isZero();
        }
    }

    @Test
    void anObserverThatBlocksDelaysNoSessionAndOutputIsReportedInLargerSteps() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Recorder after = new Recorder();
        try (Stage stage = Stage.in(folder, Limits.DEFAULT, blocking(go), after)) {
            Stage.Act act = stage.open();
            for (int i = 0; i < 1000; i++) {
                act.process().emit("x");
            }
            assertThat(act.session().cursor().drainText(2000).text()).hasSize(1000);
            act.process().exit(0);
            assertThat(act.session().exit()).isPresent();
            act.session().close();
            go.countDown();
            after.await("closed a");
            assertThat(after.lines("output")).hasSizeBetween(1, 3);
            assertThat(after.lines("output")).last().isEqualTo("output a 1000");
            assertThat(stage.sessions.stats().droppedEvents()).isZero();
        }
    }

    private static SessionObserver blocking(CountDownLatch go) {
        return new SessionObserver() {
            @Override
            public void opened(SessionRecord session) {
                try {
                    go.await();
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                }
            }
        };
    }

    @Test
    void eventsBeyondABoundAreDroppedAndCounted() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(1);
        AtomicInteger heard = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(1);
        Observers observers = new Observers(List.of(new SessionObserver() {}));
        observers.post(_ -> {
            blocked.countDown();
            awaitUnchecked(go);
        });
        blocked.await();
        for (int i = 0; i < 70_000; i++) {
            observers.post(_ -> heard.incrementAndGet());
        }
        assertThat(observers.dropped()).isEqualTo(70_000 - 65_535);
        go.countDown();
        while (heard.get() < 65_535) {
            Thread.onSpinWait();
        }
        while (done.getCount() > 0) {
            observers.post(_ -> done.countDown());
            done.await(1, java.util.concurrent.TimeUnit.MILLISECONDS);
        }
        assertThat(heard).hasValue(65_535);
    }

    @Test
    void outputIsReportedAgainAfterAnEventOfItWasDropped() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Recorder recorder = new Recorder();
        ScriptedHost host = new ScriptedHost();
        Registry registry =
                new Registry(host, Limits.DEFAULT, Resources.AS_BELAY, Isolation.NONE,
                        new Environment(java.util.Map.of()), folder,
                        SystemTime.INSTANCE, List.of(recorder));
        try {
            LiveSession live = registry.open(SessionSpec.of("sh").id("a"));
            recorder.await("opened a");
            CountDownLatch blocked = new CountDownLatch(1);
            registry.post(_ -> {
                blocked.countDown();
                awaitUnchecked(go);
            });
            blocked.await();
            while (registry.stats().droppedEvents() == 0) {
                registry.post(_ -> {});
            }
            ScriptedProcess process = host.process(registry.instance() + "/a");
            process.emit("lost");
            go.countDown();
            CountDownLatch empty = new CountDownLatch(1);
            while (empty.getCount() > 0) {
                registry.post(_ -> empty.countDown());
                empty.await(1, java.util.concurrent.TimeUnit.MILLISECONDS);
            }
            process.emit("x");
            recorder.await("output a 5");
            assertThat(live.log.end()).isEqualTo(5);
        } finally {
            registry.closeAll();
        }
    }

    @Test
    void eventsAreDeliveredOneAtATimeAndInOrderWhoeverPosts() throws Exception {
        Observers observers = new Observers(List.of(new SessionObserver() {}));
        AtomicInteger inside = new AtomicInteger();
        AtomicReference<String> wrong = new AtomicReference<>();
        int[] last = new int[3];
        CountDownLatch all = new CountDownLatch(3 * 5000);
        List<Running<Boolean>> posters = new ArrayList<>();
        for (int p = 0; p < 3; p++) {
            int poster = p;
            posters.add(Running.start(() -> {
                for (int i = 1; i <= 5000; i++) {
                    int number = i;
                    observers.post(_ -> {
                        if (inside.incrementAndGet() != 1 || last[poster] != number - 1) {
                            wrong.set("event " + number + " of " + poster + " after " + last[poster]);
                        }
                        last[poster] = number;
                        inside.decrementAndGet();
                        all.countDown();
                    });
                }
                return true;
            }));
        }
        for (Running<Boolean> poster : posters) {
            poster.result();
        }
        all.await();
        assertThat(wrong.get()).isNull();
    }

    private static void awaitUnchecked(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
