package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.belay.ReadResult.Chunk;
import dev.belay.ReadResult.End;
import dev.belay.ReadResult.Gap;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyboardTest {
    @TempDir
    Path folder;

    private final MovedTime time = new MovedTime();
    private Stage stage;
    private ScriptedProcess process;
    /// The session's owner, somebody who takes over, somebody else, an admin.
    private Session agent;
    private Session ann;
    private Session bob;
    private Session admin;

    @BeforeEach
    void open() {
        stage = Stage.in(folder, Limits.DEFAULT, time);
        Stage.Act act = stage.open(SessionSpec.of("sh").id("a").owner("agent"));
        process = act.process();
        agent = act.session();
        ann = agent.as(new Actor("ann"));
        bob = agent.as(new Actor("bob"));
        admin = agent.as(new Actor("root", true));
    }

    @AfterEach
    void close() {
        stage.close();
    }

    private static void isRefused(ErrorCode code, ThrowingCallable call) {
        assertThatExceptionOfType(SessionException.class).isThrownBy(call)
                .satisfies(e -> assertThat(e.code()).isEqualTo(code));
    }

    private static String text(ReadResult result) {
        return new String(((Chunk) result).bytes(), StandardCharsets.UTF_8);
    }

    // --- who may type ---

    @Test
    void everybodyTypesWhileNobodyHasTheKeyboard() throws Exception {
        assertThat(agent.write("a")).isEqualTo(1);
        assertThat(ann.write("b")).isEqualTo(1);
        assertThat(agent.keyboardHolder()).isEmpty();
        assertThat(process.input()).isEqualTo("ab");
    }

    @Test
    void onlyTheHolderTypesAndTheOthersLearnWhoItIs() throws Exception {
        Lease lease = ann.takeKeyboard(false, null);
        assertThat(agent.keyboardHolder()).contains("ann");
        assertThat(ann.write("a")).isEqualTo(1);
        assertThatExceptionOfType(SessionException.class).isThrownBy(() -> agent.write("b"))
                .withMessageStartingWith("ann has the keyboard of session a")
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.DENIED));
        isRefused(ErrorCode.DENIED, () -> admin.write("c"));
        isRefused(ErrorCode.DENIED, agent::interrupt);
        lease.giveBack();
        assertThat(lease.held()).isFalse();
        assertThat(agent.write("d")).isEqualTo(1);
        assertThat(process.input()).isEqualTo("ad");
    }

    @Test
    void theKeyboardCannotBeTakenFromItsHolderExceptByAnAdmin() {
        Lease anns = ann.takeKeyboard(false, null);
        isRefused(ErrorCode.DENIED, () -> bob.takeKeyboard(false, null));
        assertThat(anns.held()).isTrue();
        Lease admins = admin.takeKeyboard(false, null);
        assertThat(anns.held()).isFalse();
        anns.giveBack();
        assertThat(admins.held()).as("an old lease gives nothing back").isTrue();
        isRefused(ErrorCode.DENIED, () -> ann.takeKeyboard(false, null));
    }

    @Test
    void takingAgainReplacesTheHoldersOwnLease() {
        Lease first = ann.takeKeyboard(false, Stage.LONG);
        Lease second = ann.takeKeyboard(false, null);
        assertThat(first.held()).isFalse();
        first.close();
        assertThat(second.held()).isTrue();
    }

    @Test
    void ofManyWhoTakeAtOnceOneGetsIt() throws Exception {
        for (int round = 0; round < 100; round++) {
            CountDownLatch go = new CountDownLatch(1);
            List<Running<Lease>> takers = new ArrayList<>();
            for (Session taker : List.of(ann, bob, agent)) {
                takers.add(Running.start(() -> {
                    go.await();
                    try {
                        return taker.takeKeyboard(false, null);
                    } catch (SessionException e) {
                        assertThat(e.code()).isEqualTo(ErrorCode.DENIED);
                        return null;
                    }
                }));
            }
            go.countDown();
            List<Lease> got = new ArrayList<>();
            for (Running<Lease> taker : takers) {
                got.add(taker.result());
            }
            assertThat(got).filteredOn(lease -> lease != null).hasSize(1);
            got.stream().filter(lease -> lease != null).forEach(Lease::close);
        }
    }

    // --- how it ends ---

    @Test
    void aLeaseEndsAfterItsTime() throws Exception {
        Lease lease = ann.takeKeyboard(false, Duration.ofMinutes(5));
        Activity activity = agent.activity();
        time.pass(Duration.ofMinutes(5).minusNanos(1));
        assertThat(lease.held()).isTrue();
        time.pass(Duration.ofNanos(1));
        assertThat(lease.held()).isFalse();
        assertThat(activity.next(Duration.ZERO)).isTrue();
        assertThat(agent.keyboardHolder()).isEmpty();
    }

    @Test
    void aHolderWhoStaysAwayLosesTheKeyboard() throws Exception {
        Lease lease = ann.takeKeyboard(false, null);
        lease.away();
        time.pass(Duration.ofSeconds(30).minusNanos(1));
        assertThat(lease.held()).isTrue();
        time.pass(Duration.ofNanos(1));
        assertThat(lease.held()).isFalse();
    }

    @Test
    void aHolderWhoComesBackKeepsTheKeyboard() {
        Lease lease = ann.takeKeyboard(false, null);
        lease.away();
        time.pass(Lease.ABSENCE.minusNanos(1));
        lease.back();
        time.pass(Lease.ABSENCE);
        assertThat(lease.held()).isTrue();
        assertThat(time.pending()).isZero();
    }

    @Test
    void theExitEndsTheLeaseAndThereIsNoKeyboardAnyMore() {
        Lease lease = ann.takeKeyboard(true, null);
        process.exit(0);
        assertThat(lease.held()).isFalse();
        assertThat(agent.keyboardHolder()).isEmpty();
        isRefused(ErrorCode.NOT_WRITABLE, () -> ann.takeKeyboard(false, null));
        isRefused(ErrorCode.NOT_WRITABLE, () -> ann.write("x"));
    }

    @Test
    void aLeaseOfSessionsThatAreClosedIsHarmless() {
        Lease lease = ann.takeKeyboard(false, null);
        stage.sessions.close();
        assertThat(lease.held()).isFalse();
        lease.away();
        lease.back();
        lease.giveBack();
    }

    @Test
    void aTimeBeyondAllMeasureIsForEver() {
        Lease lease = ann.takeKeyboard(false, Duration.ofSeconds(Long.MAX_VALUE));
        assertThat(lease.held()).isTrue();
        lease.away(Duration.ofSeconds(Long.MAX_VALUE));
        assertThat(lease.held()).isTrue();
    }

    @Test
    void timersAndTheHandsThatTakeAndGiveDoNotLockEachOtherOut() throws Exception {
        try (Stage real = Stage.in(folder.resolve("real"))) {
            Session session = real.open().session().as(new Actor("root", true));
            List<Running<Integer>> hands = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                hands.add(Running.start(() -> takeAndGive(session)));
            }
            for (Running<Integer> hand : hands) {
                assertThat(hand.result()).isEqualTo(2000);
            }
        }
    }

    private static int takeAndGive(Session session) {
        int count = 0;
        for (int n = 0; n < 2000; n++) {
            try (Lease lease = session.takeKeyboard(n % 2 == 0, Duration.ofNanos(1 + n % 3))) {
                lease.away(Duration.ofNanos(1));
                lease.back();
                lease.away(Duration.ofSeconds(1));
                count++;
            }
        }
        return count;
    }

    // --- private ---

    @Test
    void privateOutputIsOneGapToOthersOnceItIsGivenBack() {
        process.emit("before ");
        Lease lease = ann.takeKeyboard(true, null);
        process.emit("sec");
        process.emit("ret");
        for (Session other : List.of(agent, bob)) {
            assertThat(text(other.output().read(0, 100))).isEqualTo("before ");
            assertThat(text(other.output().read(7, 100))).as("not yet a gap").isEmpty();
            assertThat(other.output().end()).isEqualTo(7);
        }
        assertThat(text(ann.output().read(0, 100))).isEqualTo("before secret");
        assertThat(text(admin.output().read(0, 100))).isEqualTo("before secret");
        lease.giveBack();
        process.emit(" after");
        for (Session other : List.of(agent, bob)) {
            assertThat(text(other.output().read(0, 100))).isEqualTo("before ");
            assertThat(other.output().read(7, 100)).isEqualTo(new Gap(7, 6, Gap.Reason.PRIVATE));
            assertThat(other.output().read(9, 100)).as("within").isEqualTo(new Gap(9, 4, Gap.Reason.PRIVATE));
            assertThat(text(other.output().read(13, 100))).isEqualTo(" after");
        }
        assertThat(text(ann.output().read(0, 100))).isEqualTo("before secret after");
        assertThat(text(admin.output().read(0, 100))).isEqualTo("before secret after");
    }

    @Test
    void privateOutputIsHiddenFromWaitsToo() throws Exception {
        Lease lease = ann.takeKeyboard(true, null);
        process.emit("secret");
        assertThat(agent.cursor(0).await(Until.match("secret"), Duration.ZERO).fired())
                .isEqualTo(Waited.Fired.TIMEOUT);
        assertThat(ann.cursor(0).await(Until.match("secret"), Stage.LONG).fired()).isEqualTo(Waited.Fired.MATCH);
        lease.giveBack();
        assertThat(agent.cursor(0).await(Until.match("secret"), Duration.ZERO).fired())
                .isEqualTo(Waited.Fired.TIMEOUT);
    }

    @Test
    void readersThatWaitAtAPrivateRangeAreWokenWhenItEnds() throws Exception {
        Lease lease = ann.takeKeyboard(true, null);
        Running<ReadResult> reader = Running.start(() -> bob.output().read(0, 100, Stage.LONG)).parked();
        process.emit("secret");
        lease.giveBack();
        assertThat(reader.result()).isEqualTo(new Gap(0, 6, Gap.Reason.PRIVATE));
    }

    @Test
    void anExitEndsAPrivateRangeAndOthersReachTheEnd() {
        ann.takeKeyboard(true, null);
        process.emit("secret");
        process.exit(0);
        assertThat(bob.output().read(0, 100)).isEqualTo(new Gap(0, 6, Gap.Reason.PRIVATE));
        assertThat(bob.output().read(6, 100)).isInstanceOf(End.class);
    }

    @Test
    void whatSurvivorsPrintAfterTheExitIsNotPrivate() {
        ann.takeKeyboard(true, null);
        process.emit("secret");
        process.exitHeld(0);
        process.emit("open");
        assertThat(bob.output().read(0, 100)).isEqualTo(new Gap(0, 6, Gap.Reason.PRIVATE));
        assertThat(text(bob.output().read(6, 100))).isEqualTo("open");
    }

    @Test
    void aLeaseThatAnAdminTookOverKeepsItsOutputPrivate() {
        ann.takeKeyboard(true, null);
        process.emit("hers");
        Lease admins = admin.takeKeyboard(true, null);
        process.emit("his");
        assertThat(bob.output().read(0, 100)).isEqualTo(new Gap(0, 4, Gap.Reason.PRIVATE));
        assertThat(text(bob.output().read(4, 100))).isEmpty();
        assertThat(text(ann.output().read(0, 100))).isEqualTo("hers");
        admins.giveBack();
        assertThat(ann.output().read(4, 100)).isEqualTo(new Gap(4, 3, Gap.Reason.PRIVATE));
        assertThat(text(admin.output().read(0, 100))).isEqualTo("hershis");
    }

    @Test
    void aPrivateLeaseWithoutOutputLeavesNoTrace() {
        process.emit("hello");
        for (int i = 0; i < 100; i++) {
            ann.takeKeyboard(true, null).close();
        }
        process.emit(" world");
        assertThat(text(bob.output().read(0, 100))).isEqualTo("hello world");
    }

    @Test
    void privateOutputThatTheLogDroppedIsAGapToEverybody() {
        try (Stage small = Stage.in(folder.resolve("small"), Limits.DEFAULT.logBytes(Limits.MIN_LOG_BYTES))) {
            Stage.Act act = small.open();
            Session her = act.session().as(new Actor("ann"));
            try (Lease _ = her.takeKeyboard(true, null)) {
                act.process().emit("secret");
            }
            act.process().emit(new byte[1 << 20]);
            try (Lease _ = her.takeKeyboard(true, null)) {
                act.process().emit("secret");
            }
            assertThat(((Gap) her.output().read(0, 10)).reason()).isEqualTo(Gap.Reason.DROPPED);
            assertThat(act.session().output().read(0, 10)).isInstanceOf(Gap.class);
            assertThat(act.session().output().read((1 << 20) + 6, 10))
                    .isEqualTo(new Gap((1 << 20) + 6, 6, Gap.Reason.PRIVATE));
        }
    }

    @Test
    void aReaderBesideAStormOfPrivateRangesNeverSeesAPrivateByte() throws Exception {
        Running<Long> reader = Running.start(() -> {
            long at = 0;
            long seen = 0;
            while (true) {
                switch (bob.output().read(at, 100, Stage.LONG)) {
                    case Chunk chunk -> {
                        for (byte b : chunk.bytes()) {
                            if (b != 'o') {
                                throw new AssertionError("a private byte at " + chunk.offset());
                            }
                        }
                        seen += chunk.bytes().length;
                        at = chunk.next();
                    }
                    case Gap gap -> {
                        assertThat(gap.reason()).isEqualTo(Gap.Reason.PRIVATE);
                        at = gap.next();
                    }
                    case End _ -> {
                        return seen;
                    }
                }
            }
        });
        for (int i = 0; i < 3000; i++) {
            process.emit("oo");
            try (Lease _ = ann.takeKeyboard(true, null)) {
                process.emit("ppp");
            }
        }
        process.exit(0);
        assertThat(reader.result()).isEqualTo(6000);
    }
}
