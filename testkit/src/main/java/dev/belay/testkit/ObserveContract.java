package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Actor;
import dev.belay.ErrorCode;
import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.SessionObserver;
import dev.belay.SessionRecord;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What observers are told.
public interface ObserveContract extends Rig {
    @Test
    default void observersHearOfEachStepInOrder() throws InterruptedException {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        Sessions sessions = closing(builder()
                .limits(Limits.DEFAULT.maxSessions(1))
                .observer(new SessionObserver() {
                    @Override
                    public void opened(SessionRecord session) {
                        heard.add("opened " + session.id());
                    }

                    @Override
                    public void output(String owner, String id, long end) {
                        heard.add("output " + id + " " + end);
                    }

                    @Override
                    public void exited(SessionRecord session) {
                        heard.add("exited " + session.id() + " " + session.exitCode());
                    }

                    @Override
                    public void closed(SessionRecord session) {
                        heard.add("closed " + session.id() + " " + session.endReason());
                    }

                    @Override
                    public void rejected(SessionSpec spec, ErrorCode code, String message) {
                        heard.add("rejected " + code);
                    }
                })
                .build());
        Session session = sessions.open(SessionSpec.of("/bin/sh", "-c", "printf hello; read x; exit 2").id("a").pipe());
        refused(ErrorCode.LIMIT_REACHED, () -> sessions.open(SessionSpec.of("true")));
        session.cursor().await(dev.belay.Until.offset(5), PATIENCE);
        session.writeLine("");
        exitOf(session);
        session.close();
        List<String> all = new ArrayList<>();
        while (all.isEmpty() || !all.getLast().startsWith("closed")) {
            String next = heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(next).as("after %s", all).isNotNull();
            all.add(next);
        }
        assertThat(all).contains("rejected LIMIT_REACHED");
        all.remove("rejected LIMIT_REACHED");
        all.removeIf(event -> event.startsWith("output") && !event.equals("output a 5"));
        assertThat(all).containsExactly("opened a", "output a 5", "exited a 2", "closed a EXIT");
    }

    @Test
    default void nobodyHearsOfOutputAfterTheExit() throws InterruptedException {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        Sessions sessions = closing(builder()
                .observer(new SessionObserver() {
                    @Override
                    public void output(String owner, String id, long end) {
                        heard.add("output " + end);
                    }

                    @Override
                    public void exited(SessionRecord session) {
                        heard.add("exited " + session.outputEnd());
                    }

                    @Override
                    public void closed(SessionRecord session) {
                        heard.add("closed");
                    }
                })
                .build());
        for (int i = 0; i < 50; i++) {
            SessionSpec spec = SessionSpec.of("head", "-c", "20000", "/dev/zero");
            try (Session session = sessions.open(i % 2 == 0 ? spec : spec.pipe())) {
                exitOf(session);
            }
            List<String> all = new ArrayList<>();
            while (!all.contains("closed")) {
                String next = heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(next).as("after %s", all).isNotNull();
                all.add(next);
            }
            assertThat(all).endsWith("output 20000", "exited 20000", "closed");
        }
    }

    /// Two observers: each is told everything, however many inputs became one report.
    @Test
    default void observersHearWhoTypesAndWhoHasTheKeyboard() throws InterruptedException {
        Typists first = new Typists();
        Typists second = new Typists();
        Sessions sessions = closing(builder().observer(first).observer(second).build());
        Session session = sessions.open(SessionSpec.of("/bin/sh", "-c", "cat >/dev/null").id("a").owner("ann").pipe());
        assertThat(session.typed()).isEmpty();
        Session agent = session.as(new Actor("ann").asAgent());
        for (int i = 0; i < 50; i++) {
            session.write("ab");
            agent.write("x");
        }
        assertThat(session.typed().orElseThrow().agent()).isTrue();
        session.as(new Actor("ben", true)).takeKeyboard(true, null).giveBack();
        session.close(true);
        for (Typists one : List.of(first, second)) {
            assertThat(one.closed.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(one.bytes).isEqualTo(Map.of("ann", 100L, "ann's agent", 50L));
            assertThat(one.keyboards).containsExactly("ben true", "null false");
        }
    }

    /// Who typed how much, and who had the keyboard.
    final class Typists implements SessionObserver {
        private final Map<String, Long> bytes = new ConcurrentHashMap<>();
        private final List<String> keyboards = new CopyOnWriteArrayList<>();
        private final CountDownLatch closed = new CountDownLatch(1);

        @Override
        public void typed(String owner, String id, Actor by, long count) {
            bytes.merge(by.name() + (by.agent() ? "'s agent" : ""), count, Long::sum);
        }

        @Override
        public void keyboard(String owner, String id, @Nullable String holder, boolean isPrivate) {
            keyboards.add(holder + " " + isPrivate);
        }

        @Override
        public void closed(SessionRecord session) {
            closed.countDown();
        }
    }

    @Test
    default void anObserverThatFailsOrHangsHurtsNoSession() throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        Sessions sessions = closing(builder()
                .observer(new SessionObserver() {
                    @Override
                    public void opened(SessionRecord session) {
                        throw new IllegalStateException("an observer that fails");
                    }
                })
                .observer(new SessionObserver() {
                    @Override
                    public void opened(SessionRecord session) {
                        try {
                            never.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }
                })
                .build());
        try {
            for (int i = 0; i < 5; i++) {
                Session session = sessions.open(SessionSpec.of("seq", "1", "1000").pipe());
                assertThat(allTextOf(session)).endsWith("\n1000\n");
                session.close();
            }
        } finally {
            never.countDown();
        }
    }
}
