package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.Actor;
import dev.belay.Cursor;
import dev.belay.ErrorCode;
import dev.belay.Lease;
import dev.belay.ReadResult;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Until;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// The keyboard: who may type, and private output.
public interface KeyboardContract extends Rig {
    Actor ALICE = new Actor("alice");
    Actor BOB = new Actor("bob");
    Actor ADMIN = new Actor("root", true);

    @Test
    default void whoTakesTheKeyboardTypesAlone() throws InterruptedException {
        Session agent = sessions().open(SessionSpec.of("cat").owner("agent"));
        Session alice = agent.as(ALICE);
        agent.writeLine("by the agent");
        Lease lease = alice.takeKeyboard(false, null);
        assertThat(agent.keyboardHolder()).contains("alice");
        assertThat(refused(ErrorCode.DENIED, () -> agent.write("x"))).hasMessageContaining("alice has the keyboard");
        refused(ErrorCode.DENIED, () -> agent.as(BOB).takeKeyboard(false, null));
        alice.writeLine("by alice");
        expect(agent.cursor(), "by alice");
        lease.giveBack();
        assertThat(lease.held()).isFalse();
        assertThat(agent.keyboardHolder()).isEmpty();
        agent.writeLine("again by the agent");
        expect(agent.cursor(), "again by the agent");
    }

    @Test
    default void whatIsPrintedPrivatelyIsAGapToOthersButNotToTheHolderOrAdmins() throws InterruptedException {
        Session agent = sessions().open(SessionSpec.of("cat").pipe().owner("agent"));
        Session alice = agent.as(ALICE);
        agent.writeLine("open");
        expect(agent.cursor(), "open\\n");
        Lease lease = alice.takeKeyboard(true, null);
        alice.writeLine("hidden");
        expect(alice.cursor(), "hidden\\n");
        assertThat(agent.output().end()).as("others see no further yet").isEqualTo(5);
        assertThat(((ReadResult.Chunk) agent.output().read(5, 100)).bytes()).isEmpty();
        lease.giveBack();
        alice.writeLine("after");
        expect(agent.cursor(), "after\\n");
        assertThat(agent.output().read(5, 100))
                .isEqualTo(new ReadResult.Gap(5, 7, ReadResult.Gap.Reason.PRIVATE));
        assertThat(agent.output().read(8, 100))
                .isEqualTo(new ReadResult.Gap(8, 4, ReadResult.Gap.Reason.PRIVATE));
        assertThat(agent.cursor().await(Until.match("hidden"), Duration.ofMillis(50)).fired())
                .isEqualTo(dev.belay.Waited.Fired.TIMEOUT);
        for (Session allowed : new Session[] {alice, agent.as(ADMIN)}) {
            assertThat(allowed.cursor().peekText(100).text()).isEqualTo("open\nhidden\nafter\n");
        }
        assertThat(agent.cursor().drainText(100).text()).isEqualTo("open\n");
        refused(ErrorCode.DENIED, () -> agent.as(BOB).drainer());
    }

    @Test
    default void aLeaseEndsByTimeoutByAnAdminAndWithTheSession() throws InterruptedException {
        Session agent = sessions().open(SessionSpec.of("cat").owner("agent"));
        dev.belay.Activity activity = agent.activity();
        Lease brief = agent.as(ALICE).takeKeyboard(false, Duration.ofMillis(50));
        while (brief.held()) {
            assertThat(activity.next(PATIENCE)).isTrue();
        }
        Lease alices = agent.as(ALICE).takeKeyboard(false, null);
        Lease admins = agent.as(ADMIN).takeKeyboard(false, null);
        assertThat(alices.held()).isFalse();
        assertThat(admins.held()).isTrue();
        agent.as(ADMIN).write("\u0004");
        exitOf(agent);
        assertThat(admins.held()).isFalse();
        refused(ErrorCode.NOT_WRITABLE, () -> agent.as(ALICE).takeKeyboard(false, null));
    }

    @Test
    default void aWriteOfAnotherThatWaitsForRoomEndsWhenTheKeyboardIsTaken() throws Exception {
        new ProcessBuilder("mkfifo", workspace().resolve("fifo").toString()).start().waitFor();
        Session agent = sessions().open(SessionSpec.of("/bin/sh", "-c", "read go < fifo; wc -c").pipe().owner("agent"));
        FutureTask<Integer> first = new FutureTask<>(() -> agent.write(new byte[500_000], PATIENCE.multipliedBy(10)));
        FutureTask<Integer> second = new FutureTask<>(() -> agent.write(new byte[500_000], PATIENCE.multipliedBy(10)));
        for (FutureTask<Integer> write : List.of(first, second)) {
            Rig.awaitWaiting(Thread.ofPlatform().start(write));
        }
        agent.as(ALICE).takeKeyboard(true, null);
        int taken = first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(taken).isPositive().isLessThan(500_000);
        assertThatThrownBy(() -> second.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .hasMessageContaining("alice has the keyboard");
        Files.writeString(workspace().resolve("fifo"), "go\n");
        assertThat(agent.as(ALICE).write("by alice")).isEqualTo(8);
        agent.as(ALICE).closeInput();
        exitOf(agent);
        assertThat(allTextOf(agent.as(ALICE)).strip()).isEqualTo(Integer.toString(taken + 8));
    }

    @Test
    default void aPrivateRangeEndsWithTheSession() throws InterruptedException {
        Session agent = sessions().open(SessionSpec.of("/bin/sh", "-c", "read x; echo secret").pipe().owner("agent"));
        agent.as(ALICE).takeKeyboard(true, null);
        agent.as(ALICE).writeLine("");
        exitOf(agent);
        Cursor cursor = agent.cursor();
        assertThat(cursor.drain(100)).isEqualTo(new ReadResult.Gap(0, 7, ReadResult.Gap.Reason.PRIVATE));
        assertThat(cursor.drain(100)).isInstanceOf(ReadResult.End.class);
    }
}
