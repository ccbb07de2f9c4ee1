package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.belay.ReadResult.Chunk;
import dev.belay.ReadResult.End;
import dev.belay.ReadResult.Gap;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CursorTest {
    private static final String MANY_TONGUES = "aé€漢😀 שלום привет ไทย 한 🏴󠁧󠁢󠁳󠁣󠁴󠁿 e\u0301.";

    @TempDir
    Path folder;

    private Stage stage;
    private Session session;
    private ScriptedProcess process;
    private Cursor cursor;

    @BeforeEach
    void open() {
        stage = Stage.in(folder, Limits.DEFAULT.logBytes(Limits.MIN_LOG_BYTES));
        take(stage.open("a"));
    }

    private void take(Stage.Act act) {
        session = act.session();
        process = act.process();
        cursor = session.cursor();
    }

    @AfterEach
    void close() {
        stage.close();
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    private static String text(ReadResult result) {
        return new String(((Chunk) result).bytes(), StandardCharsets.UTF_8);
    }

    // --- bytes ---

    @Test
    void peekingDoesNotMoveAndDrainingDoes() {
        process.emit("hello");
        assertThat(text(cursor.peek(3))).isEqualTo("hel");
        assertThat(text(cursor.peek(3))).isEqualTo("hel");
        assertThat(cursor.unread()).isEqualTo(5);
        assertThat(text(cursor.drain(3))).isEqualTo("hel");
        assertThat(text(cursor.drain(30))).isEqualTo("lo");
        assertThat(cursor.position()).isEqualTo(5);
        assertThat(cursor.unread()).isZero();
        assertThat(text(cursor.drain(30))).isEmpty();
    }

    @Test
    void drainingTheEndStaysAtTheEnd() {
        process.emit("x");
        process.exit(0);
        cursor.drain(10);
        assertThat(cursor.drain(10)).isInstanceOf(End.class);
        assertThat(cursor.drain(10)).isInstanceOf(End.class);
        assertThat(cursor.position()).isEqualTo(1);
    }

    @Test
    void everyCursorHasItsOwnPlace() {
        process.emit("hello");
        Cursor other = session.cursor(2);
        cursor.drain(4);
        assertThat(text(other.drain(10))).isEqualTo("llo");
        other.moveTo(1);
        assertThat(text(other.peek(2))).isEqualTo("el");
        assertThat(text(cursor.drain(10))).isEqualTo("o");
    }

    @Test
    void waitingForMoreEndsWithOutputAGapOrTheEnd() throws Exception {
        assertThat(cursor.awaitMore(Duration.ZERO)).isFalse();
        Running<Boolean> waiter = Running.start(() -> cursor.awaitMore(Stage.LONG)).parked();
        process.emit("x");
        assertThat(waiter.result()).isTrue();
        cursor.drain(1);
        waiter = Running.start(() -> cursor.awaitMore(Stage.LONG)).parked();
        process.exit(0);
        assertThat(waiter.result()).isTrue();
    }

    @Test
    void drainingWaitsForOutputOrTheEnd() throws Exception {
        assertThat(text(cursor.drain(10, Duration.ZERO))).isEmpty();
        Running<ReadResult> waiter =
                Running.start(() -> cursor.drain(10, Stage.LONG)).parked();
        process.emit("x");
        assertThat(text(waiter.result())).isEqualTo("x");
        assertThat(cursor.position()).isEqualTo(1);
        waiter = Running.start(() -> cursor.drain(10, Stage.LONG)).parked();
        process.exit(0);
        assertThat(waiter.result()).isInstanceOf(ReadResult.End.class);
    }

    @Test
    void twoThreadsThatDrainOneCursorShareTheOutput() throws Exception {
        for (int i = 0; i < 1000; i++) {
            process.emit(Known.bytes(i * 100L, 100));
        }
        process.exit(0);
        Running<Long> first = Running.start(this::drainAll);
        Running<Long> second = Running.start(this::drainAll);
        assertThat(first.result() + second.result()).isEqualTo(100_000);
    }

    private long drainAll() {
        long sum = 0;
        while (true) {
            switch (cursor.drain(64)) {
                case Chunk chunk -> {
                    assertThat(Known.are(chunk.bytes(), chunk.offset())).isTrue();
                    sum += chunk.bytes().length;
                }
                case Gap gap -> throw new AssertionError(gap);
                case End _ -> {
                    return sum;
                }
            }
        }
    }

    // --- lossless ---

    @Test
    void aLosslessSessionWaitsForItsDrainerAndLosesNothing() {
        Stage.Act act = stage.open(SessionSpec.of("sh").id("b").lossless(true));
        Cursor drainer = act.session().drainer();
        long sent = 0;
        for (int round = 0; round < 20; round++) {
            int resumes = act.process().resumes();
            while (act.process().emit(Known.bytes(sent, 10_000))) {
                sent += 10_000;
            }
            sent += 10_000;
            assertThat(act.process().resumes()).isEqualTo(resumes);
            for (int i = 0; i < 7; i++) {
                Chunk chunk = (Chunk) drainer.drain(8192);
                assertThat(Known.are(chunk.bytes(), chunk.offset())).isTrue();
            }
            assertThat(act.process().resumes()).as("asked once to go on").isEqualTo(resumes + 1);
        }
        assertThat(drainer.unread()).isLessThanOrEqualTo(Limits.MIN_LOG_BYTES + 10_000);
    }

    @Test
    void otherCursorsDoNotHoldALosslessSession() {
        Stage.Act act = stage.open(SessionSpec.of("sh").id("b").lossless(true));
        while (act.process().emit(new byte[10_000])) {
            act.session().cursor().drain(10_000);
        }
        act.session().cursor().drain(100_000);
        assertThat(act.process().resumes()).isZero();
        act.session().drainer().drainText(100_000);
        assertThat(act.process().resumes()).isEqualTo(1);
    }

    // --- text ---

    @Test
    void noCharacterIsSplitWhereverTheOutputIs() {
        byte[] all = MANY_TONGUES.getBytes(StandardCharsets.UTF_8);
        for (int cut = 0; cut <= all.length; cut++) {
            take(stage.open("cut" + cut));
            StringBuilder read = new StringBuilder();
            process.emit(Arrays.copyOf(all, cut));
            read.append(cursor.drainText(1000).text());
            assertThat(MANY_TONGUES).startsWith(read);
            assertThat(cursor.unread()).isLessThanOrEqualTo(3);
            process.emit(Arrays.copyOfRange(all, cut, all.length));
            read.append(cursor.drainText(1000).text());
            assertThat(read.toString()).isEqualTo(MANY_TONGUES);
            session.close();
        }
    }

    @Test
    void noCharacterIsSplitHoweverLittleIsAskedFor() {
        process.emit(MANY_TONGUES);
        for (int max = 4; max < 12; max++) {
            Cursor reader = session.cursor();
            StringBuilder read = new StringBuilder();
            while (reader.unread() > 0) {
                long before = reader.position();
                Text part = reader.drainText(max);
                assertThat(part.offset()).isEqualTo(before);
                assertThat(part.next()).isEqualTo(reader.position()).isGreaterThan(before);
                read.append(part.text());
            }
            assertThat(read.toString()).isEqualTo(MANY_TONGUES);
        }
        assertThatExceptionOfType(SessionException.class).isThrownBy(() -> cursor.drainText(3));
    }

    @Test
    void noCharacterIsSplitBetweenSegmentsOfTheLog() {
        String line = "€".repeat(1000) + "\n";
        StringBuilder sent = new StringBuilder();
        StringBuilder read = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            process.emit(line);
            sent.append(line);
            read.append(cursor.drainText(10_000).text());
        }
        assertThat(read.toString().equals(sent.toString())).isTrue();
    }

    @Test
    void invalidBytesAreReplacedOneByOneAtMost() {
        process.emit(bytes('a', 0xFF, 0xC0, 0x80, 'b', 0xE2, 0x82, 'c', 0xED, 0xA0, 0x80, 'd'));
        String text = cursor.drainText(100).text();
        assertThat(text).matches("a\uFFFD{3}b\uFFFD{1,2}c\uFFFD{1,3}d");
        assertThat(cursor.unread()).isZero();
    }

    @Test
    void aTailThatNeverBecameACharacterIsGivenAtTheEnd() {
        process.emit(bytes('a', 0xE2, 0x82));
        assertThat(cursor.drainText(100).text()).isEqualTo("a");
        assertThat(cursor.drainText(100).text()).isEmpty();
        process.exit(0);
        Text last = cursor.drainText(100);
        assertThat(last.text()).isEqualTo("\uFFFD");
        assertThat(last.ended()).isTrue();
        assertThat(last.next()).isEqualTo(3);
        assertThat(cursor.drainText(100)).isEqualTo(new Text("", 3, 3, 0, true));
    }

    @Test
    void peekedTextIsTheTextThatIsDrained() {
        process.emit("aé€");
        Text peeked = cursor.peekText(100);
        assertThat(cursor.position()).isZero();
        assertThat(cursor.drainText(100)).isEqualTo(peeked);
    }

    @Test
    void theRestOfACharacterAfterAGapIsLostWithIt() {
        // Segments begin at multiples of 64 KiB, so some three-byte characters span two of them.
        process.emit("€".repeat(200_000));
        assertThat(session.output().start() % 3).isNotZero();
        cursor.moveTo(0);
        Text text = cursor.drainText(1000);
        assertThat(text.lostBytes()).isEqualTo(text.next() - text.text().length() * 3L).isPositive();
        assertThat(text.text()).matches("€+");
        cursor.moveTo(0);
        assertThat(cursor.drain(10)).isInstanceOf(Gap.class);
        text = cursor.drainText(1000);
        assertThat(text.text()).matches("€+");
        assertThat(text.lostBytes()).isBetween(1L, 2L);
    }

    @Test
    void textBeforeAGapIsGivenFirstSoThatTheGapHasAPlace() {
        process.emit(bytes('a', 0xE2));
        Lease lease = session.as(new Actor("ann")).takeKeyboard(true, null);
        process.emit("secret");
        lease.giveBack();
        process.emit("b");
        assertThat(cursor.drainText(100)).isEqualTo(new Text("a\uFFFD", 0, 2, 0, false));
        assertThat(cursor.drainText(100)).isEqualTo(new Text("b", 2, 9, 6, false));
    }
}
