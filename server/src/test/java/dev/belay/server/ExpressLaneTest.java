package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Approval;
import dev.belay.ExitStatus;
import dev.belay.Limits;
import dev.belay.ReadResult.Gap;
import dev.belay.Session;
import dev.belay.SessionRecord;
import dev.belay.Size;
import dev.belay.Until;
import dev.belay.Waited;
import dev.belay.screens.Repaint;
import dev.belay.server.attach.DetachReason;
import dev.belay.server.attach.RepaintReason;
import dev.belay.server.attach.ViewOptions;
import dev.belay.server.attach.Viewer;
import dev.belay.server.attach.ViewerConnection;
import dev.belay.server.auth.Login;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The rules that hold while the host's loop sends output itself: real sessions, and a connection that can be made to
/// take nothing at just the right moment.
@Tag("any-user")
class ExpressLaneTest extends WithServer {
    private static final String COPY = "stty raw -echo; printf up; exec cat";

    /// A connection that writes down what it is sent.
    private static final class Line implements ViewerConnection {
        final LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
        /// What came over the lane.
        final List<String> express = new CopyOnWriteArrayList<>();
        private final StringBuilder all = new StringBuilder();
        /// How the next offer ends; null: it is taken at once.
        volatile @Nullable Future<?> next;
        volatile boolean refuses;
        volatile @Nullable CompletableFuture<Void> blocked;
        private long at = -1;

        @Override
        public @Nullable Future<?> offer(long offset, byte[] bytes) {
            assertThat(Thread.currentThread().getName()).isEqualTo("belay-loop");
            if (refuses) {
                return null;
            }
            // Before the test can hear of it, and change what holds for the next one.
            Future<?> taken = next;
            express.add(text(bytes));
            note(offset, bytes);
            return taken == null ? CompletableFuture.completedFuture(null) : taken;
        }

        @Override
        public void output(long offset, byte[] bytes) {
            assertThat(Thread.currentThread().isVirtual()).isTrue();
            CompletableFuture<Void> stuck = blocked;
            if (stuck != null) {
                heard.add("stuck");
                stuck.join();
            }
            note(offset, bytes);
        }

        private synchronized void note(long offset, byte[] bytes) {
            assertThat(at < 0 ? offset : at).as("each byte once, in order").isEqualTo(offset);
            at = offset + bytes.length;
            all.append(text(bytes));
            heard.add("output " + text(bytes));
        }

        synchronized String output() {
            return all.toString();
        }

        private static String text(byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        @Override
        public void attached(SessionRecord session, long from, @Nullable Size size) {
            heard.add("attached");
        }

        @Override
        public synchronized void gap(Gap gap) {
            at = gap.next();
            heard.add("gap " + gap.lostBytes() + " " + gap.reason());
        }

        @Override
        public void screen(Repaint paint, RepaintReason why) {
            heard.add("screen");
        }

        @Override
        public void resized(Size size) {
            heard.add("resized " + size.cols());
        }

        @Override
        public void lease(@Nullable String holder, boolean isPrivate) {
            heard.add("lease " + holder);
        }

        @Override
        public void approval(Approval approval) {
            heard.add("approval");
        }

        @Override
        public void approvalClosed(Approval approval) {
            heard.add("approval closed");
        }

        @Override
        public void exit(ExitStatus exit, long offset) {
            heard.add("exit " + offset);
        }

        @Override
        public void closed(DetachReason why) {
            heard.add("closed");
        }

        String next() throws InterruptedException {
            String message = heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(message).as("a message").isNotNull();
            return message;
        }

        /// Skips what comes before a message.
        void until(String message) throws InterruptedException {
            String found = next();
            while (!found.equals(message)) {
                found = next();
            }
        }
    }

    private Login login(String token) {
        return server.authority().token(token, InetAddress.getLoopbackAddress());
    }

    private Session session(String id) {
        return server.access().of(login(ALICE)).drive(id, null);
    }

    private Viewer attach(String token, String id, Line line) {
        Viewer.Mode mode = token.equals(ALICE) ? Viewer.Mode.WRITE : Viewer.Mode.WATCH;
        ViewOptions options = ViewOptions.of(OptionalLong.of(0), mode);
        return server.viewers().attach(login(token), server.viewers().require(login(token), id, "alice", options),
                options, line);
    }

    /// Types until a key comes over the lane: from then on the sender waits.
    private static void settle(Viewer viewer, Line line) throws Exception {
        line.until("output up");
        while (line.express.isEmpty()) {
            viewer.write(new byte[] {'.'}, null);
            line.until("output .");
        }
        line.express.clear();
    }

    private static void type(Viewer viewer, String text) throws Exception {
        assertThat(viewer.write(text.getBytes(StandardCharsets.UTF_8), null)).isEqualTo(text.length());
    }

    private static void awaitEnd(Session session, long end) throws InterruptedException {
        assertThat(session.cursor().await(Until.offset(end), PATIENCE).fired()).isEqualTo(Waited.Fired.OFFSET);
    }

    @Test
    void keysComeByTheLaneInOrderAndAreInTheLog() throws Exception {
        String id = api.open(ALICE, COPY);
        Line line = new Line();
        try (Viewer viewer = attach(ALICE, id, line)) {
            settle(viewer, line);
            for (int i = 0; i < 200; i++) {
                type(viewer, "" + (char) ('a' + i % 26));
                line.until("output " + (char) ('a' + i % 26));
            }
            assertThat(line.express).as("by the lane").isNotEmpty();
            String all = session(id).cursor().drainText(10_000).text();
            assertThat(line.output()).isEqualTo(all);
            assertThat(viewer.lag()).isZero();
        }
        line.until("closed");
    }

    @Test
    void aFullSocketIsLeftToTheSenderAndNothingIsSentBeforeItIsTaken() throws Exception {
        String id = api.open(ALICE, COPY);
        Line line = new Line();
        try (Viewer viewer = attach(ALICE, id, line)) {
            settle(viewer, line);
            CompletableFuture<Void> full = new CompletableFuture<>();
            line.next = full;
            while (line.express.isEmpty()) {
                type(viewer, "a");
                line.until("output a");
            }
            long end = session(id).output().end();
            type(viewer, "bcd");
            awaitEnd(session(id), end + 3);
            assertThat(line.heard).as("one message at a time is on its way").isEmpty();
            assertThat(viewer.lag()).isEqualTo(3);
            line.next = null;
            full.complete(null);
            while (line.output().indexOf("abcd") < 0) {
                line.next();
            }
        }
        line.until("closed");
    }

    @Test
    void whatAConnectionCannotTryIsSentByTheSender() throws Exception {
        String id = api.open(ALICE, COPY);
        Line line = new Line();
        try (Viewer viewer = attach(ALICE, id, line)) {
            settle(viewer, line);
            line.refuses = true;
            type(viewer, "a");
            line.until("output a");
            type(viewer, "b");
            line.until("output b");
            assertThat(line.express).isEmpty();
        }
        line.until("closed");
    }

    @Test
    void aConnectionThatFailsEndsItsViewerAndNobodyElse() throws Exception {
        String id = api.open(ALICE, COPY);
        Line failing = new Line();
        Line other = new Line();
        try (Viewer viewer = attach(ALICE, id, failing);
                Viewer watcher = attach(ADMIN, id, other)) {
            settle(viewer, failing);
            failing.next = CompletableFuture.failedFuture(new java.io.IOException("gone"));
            type(viewer, "a");
            failing.until("closed");
            other.until("output a");
            assertThat(watcher.lag()).isZero();
        }
    }

    @Test
    void outputAfterTheBeginOfAPrivateRangeIsNotShown() throws Exception {
        String id = api.open(ALICE, COPY);
        Line owner = new Line();
        Line other = new Line();
        try (Viewer viewer = attach(ALICE, id, owner);
                Viewer watcher = attach(EVE, id, other)) {
            settle(viewer, owner);
            type(viewer, "!");
            other.until("output !");
            viewer.takeKeyboard(true);
            type(viewer, "secret");
            owner.until("lease alice");
            while (owner.output().indexOf("secret") < 0) {
                owner.next();
            }
            viewer.giveBackKeyboard();
            type(viewer, "?");
            other.until("gap 6 PRIVATE");
            other.until("output ?");
            assertThat(other.output()).doesNotContain("s").endsWith("!?");
            assertThat(watcher.lag()).isZero();
        }
        owner.until("closed");
    }

    @Test
    void aLeaseThatIsTakenIsToldBeforeWhatIsPrintedAfterIt() throws Exception {
        String id = api.open(ALICE, COPY);
        Line line = new Line();
        try (Viewer viewer = attach(ALICE, id, line)) {
            settle(viewer, line);
            for (int i = 0; i < 50; i++) {
                viewer.takeKeyboard(false);
                type(viewer, "k");
                assertThat(List.of(line.next(), line.next())).containsExactly("lease alice", "output k");
                viewer.giveBackKeyboard();
                type(viewer, "f");
                assertThat(List.of(line.next(), line.next())).containsExactly("lease null", "output f");
            }
        }
        line.until("closed");
    }

    @Test
    void aResizeIsToldBeforeWhatIsPrintedAfterIt() throws Exception {
        String id = api.open(ALICE, COPY);
        Line line = new Line();
        try (Viewer viewer = attach(ALICE, id, line)) {
            settle(viewer, line);
            for (int cols = 81; cols < 120; cols++) {
                viewer.resize(new Size(cols, 24));
                type(viewer, "r");
                assertThat(List.of(line.next(), line.next())).containsExactly("resized " + cols, "output r");
            }
        }
        line.until("closed");
    }

    @Test
    void aViewerThatIsBehindIsServedInOrderWhileAnotherHasTheLane() throws Exception {
        String id = api.open(ALICE, COPY);
        Line quick = new Line();
        Line slow = new Line();
        slow.blocked = new CompletableFuture<>();
        try (Viewer viewer = attach(ALICE, id, quick)) {
            settle(viewer, quick);
            typeWhileBehind(viewer, id, quick, slow);
        }
        quick.until("closed");
        slow.until("closed");
    }

    private void typeWhileBehind(Viewer viewer, String id, Line quick, Line slow) throws Exception {
        try (Viewer behind = attach(EVE, id, slow)) {
            // Its sender has to send what was printed before, and cannot.
            slow.until("stuck");
            for (int i = 0; i < 100; i++) {
                type(viewer, "x");
                quick.until("output x");
            }
            assertThat(quick.express).as("the quick one has the lane").isNotEmpty();
            assertThat(slow.express).as("one that is behind never gets ahead").isEmpty();
            assertThat(behind.lag()).isGreaterThanOrEqualTo(100);
            slow.blocked.complete(null);
            long end = session(id).output().end();
            while (slow.output().length() < end) {
                slow.next();
            }
            assertThat(slow.output()).isEqualTo(quick.output());
        }
    }

    @Test
    void ofTwoViewersOneThatStallsDoesNotDelayTheOther() throws Exception {
        String id = api.open(ALICE, COPY);
        Line quick = new Line();
        Line stalled = new Line();
        CompletableFuture<Void> never = new CompletableFuture<>();
        try (Viewer viewer = attach(ALICE, id, quick);
                Viewer other = attach(ADMIN, id, stalled)) {
            settle(viewer, quick);
            while (stalled.express.isEmpty()) {
                type(viewer, ",");
                quick.until("output ,");
            }
            stalled.next = never;
            stalled.blocked = never;
            for (int i = 0; i < 100; i++) {
                type(viewer, "y");
                quick.until("output y");
            }
            assertThat(stalled.output().chars().filter(each -> each == 'y').count())
                    .as("one message at most is on its way").isLessThanOrEqualTo(1);
            assertThat(other.lag()).isPositive();
        }
        stalled.until("closed");
        quick.until("closed");
    }

    @Test
    void theWindowOfAViewerThatAcknowledgesHolds() throws Exception {
        String id = api.open(ALICE, COPY);
        Line line = new Line();
        try (Viewer viewer = attach(ALICE, id, line)) {
            settle(viewer, line);
            viewer.ack(0);
            long window = server.settings().viewers().windowBytes();
            byte[] page = "p".repeat(1000).getBytes(StandardCharsets.UTF_8);
            while (session(id).output().end() <= window) {
                viewer.write(page, null);
                awaitEnd(session(id), session(id).output().end());
            }
            awaitEnd(session(id), window + 1);
            while (line.output().length() < window) {
                line.next();
            }
            type(viewer, "q");
            assertThat(line.output()).as("no byte beyond the window").hasSize((int) window);
            viewer.ack(window);
            while (line.output().indexOf("q") < 0) {
                line.next();
            }
        }
        line.until("closed");
    }

    @Test
    void questionsAreMaskedAlsoIfTheyComeInPieces() throws Exception {
        String id = api.open(ALICE, COPY);
        Line line = new Line();
        try (Viewer viewer = attach(ALICE, id, line)) {
            settle(viewer, line);
            for (String piece : List.of("a", "\u001b", "[", "6", "n", "b")) {
                long end = session(id).output().end();
                type(viewer, piece);
                awaitEnd(session(id), end + 1);
            }
            line.until("output b");
            assertThat(line.output()).endsWith("a\0\0\0\0b");
        }
        line.until("closed");
    }

    @Test
    void theExitComesAfterTheLastByte() throws Exception {
        String id = api.open(ALICE, "stty raw -echo; printf up; head -c 3; printf bye");
        Line line = new Line();
        try (Viewer viewer = attach(ALICE, id, line)) {
            line.until("output up");
            type(viewer, "xyz");
            String last = line.next();
            while (!last.startsWith("exit")) {
                last = line.next();
            }
            assertThat(line.output()).endsWith("xyzbye");
            assertThat(last).isEqualTo("exit " + line.output().length());
        }
    }

    @Override
    Limits limits() {
        return super.limits().logBytes(64L << 20);
    }
}
