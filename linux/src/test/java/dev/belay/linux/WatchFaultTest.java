package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Approval;
import dev.belay.Approval.Answer;
import dev.belay.ApprovalListener;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.testkit.HeldResources;
import dev.belay.testkit.Rig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Fails every system call of a watched session, from its start until its exit: nothing hangs, nothing is left, and no
/// program starts that is denied.
///
/// Each call fails once, with an error from a printed seed; with `-Dbelay.faults=all` it fails with each of its errors.
@Tag("any-user")
@Timeout(600)
class WatchFaultTest extends WatchRig {
    private static final boolean ALL = "all".equals(System.getProperty("belay.faults"));
    private static final Duration LEAK_PATIENCE = Duration.ofSeconds(20);
    private static final String SCRIPT = "/bin/uname -s; /bin/arch 2>/dev/null && echo passed; /bin/echo done";
    private static final String SAID = "Linux\ndone\n";
    /// The calls of a watch: filter, spawn, receive, read, ask whether it is still there, answer.
    private static final Set<String> MUST_FAIL = Set.of(
            "prctl", "seccomp", "spawn", "processVmRead", "pidfdOpen",
            Fault.ioctl(Abi.SECCOMP_IOCTL_NOTIF_RECV), Fault.ioctl(Abi.SECCOMP_IOCTL_NOTIF_ID_VALID),
            Fault.ioctl(Abi.SECCOMP_IOCTL_NOTIF_SEND));

    private final long seed = Long.getLong("belay.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @BeforeEach
    void answerAll() {
        approvals().addListener(new ApprovalListener() {
            @Override
            public void asked(Approval approval) {
                approvals().answer(approval.id(), "ada", Answer.ALLOW);
            }
        });
    }

    /// @return what the session has printed; null if it was refused
    private @Nullable String play(@Nullable Fault fault) throws InterruptedException {
        try {
            Session session = watched("/bin/sh", "-c", SCRIPT);
            assertThat(session.awaitExit(Rig.PATIENCE)).as("an exit").isPresent();
            return session.cursor().drainText(1 << 16).text();
        } catch (SessionException e) {
            assertThat(fault).as(e.toString()).isNotNull();
            assertThat(e.code()).as(e.toString()).isIn(fault.codes());
            return null;
        }
    }

    @Test
    void whateverFailsInAWatchedSessionNothingHangsNothingIsLeftAndNothingPassesThatIsDenied() throws Exception {
        assertThat(play(null)).isEqualTo(SAID);
        Map<Injector.Site, Integer> counts;
        try (Injector injector = Injector.of(Set.of(), (_, _) -> 0)) {
            assertThat(play(null)).isEqualTo(SAID);
            counts = injector.counts();
        }
        List<Fault> faults = new ArrayList<>();
        counts.forEach((site, count) -> addEach(faults, site, count));
        List<String> failures = new ArrayList<>();
        Set<String> met = new HashSet<>();
        for (Fault fault : faults) {
            try {
                Injector.Site hit = meet(fault);
                met.add(hit == null ? "" : hit.call());
            } catch (AssertionError e) {
                failures.add(fault + ": " + e);
            }
        }
        System.out.println("faults of a watched session: " + faults.size() + ", seed " + seed);
        assertThat(failures).as("badly handled of %d faults, seed %d", faults.size(), seed).isEmpty();
        assertThat(met).as("calls that failed").containsAll(MUST_FAIL);
    }

    private void addEach(List<Fault> faults, Injector.Site site, int count) {
        // The sweep of all sessions fails those of the loop itself.
        List<Integer> errors = site.caller().startsWith("Loop.turns") || site.caller().equals("Loop.ring")
                ? List.of()
                : Fault.errorsOf(site);
        for (int nth = 1; nth <= count && !errors.isEmpty(); nth++) {
            for (int errno : ALL ? errors : List.of(errors.get(random.nextInt(errors.size())))) {
                faults.add(new Fault(site, errno, nth));
            }
        }
    }

    private Injector.@Nullable Site meet(Fault fault) throws Exception {
        sessions().list().forEach(Session::close);
        HeldResources before = HeldResources.now();
        Injector.Site hit;
        String said;
        try (Injector injector = Injector.of(Set.of(), fault.plan())) {
            said = play(fault);
            hit = injector.hit();
        }
        if (said != null) {
            assertThat(said).doesNotContain("passed");
        }
        if (fault.errno() == Errno.EINTR) {
            assertThat(said).isEqualTo(SAID);
        }
        sessions().list().forEach(Session::close);
        assertThat(before.leftAfter(LEAK_PATIENCE)).as("left behind").isEmpty();
        assertThat(sessions().stats().permitsUsed()).as("permits").isZero();
        assertThat(approvals().pending().approvals()).as("questions").isEmpty();
        assertThat(Rig.marked(sessions().instance() + "/")).as("processes").isEmpty();
        assertThat(play(null)).as("the next session").isEqualTo(SAID);
        return hit;
    }
}
