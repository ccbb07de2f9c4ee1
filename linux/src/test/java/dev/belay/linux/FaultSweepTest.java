package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Cursor;
import dev.belay.Environment;
import dev.belay.ErrorCode;
import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Until;
import dev.belay.Waited;
import dev.belay.testkit.HeldResources;
import dev.belay.testkit.LeakCheck;
import dev.belay.testkit.Rig;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Fails each system call with each error: nothing hangs, nothing leaks, no acknowledged byte is lost, and other
/// sessions go on.
///
/// Runs a sample from a printed seed by default; `-Dbelay.faults=all` runs everything.
@ExtendWith(LeakCheck.class)
class FaultSweepTest {
    private static final Duration LEAK_PATIENCE = Duration.ofSeconds(20);
    private static final boolean ALL = "all".equals(System.getProperty("belay.faults"));
    /// How many faults a sample has beyond the required ones.
    private static final int MORE = 10;
    /// Calls that must be among those that fail, by their names in [Libc].
    private static final Set<String> MUST_FAIL = Set.of(
            "open", "openat2", "spawn", "read", "write", "epollWait", "epollCtl " + Abi.EPOLL_CTL_ADD, "waitid",
            "pidfdOpen", Fault.ioctl(Abi.TIOCSWINSZ));
    /// The percentage of faults that must be met. Not all are: the number of calls differs from run to run, most of all
    /// when looking at all processes of the machine, which makes up a large part of the calls.
    private static final int MET_PERCENT = ALL ? 50 : 80;

    @TempDir
    Path folder;

    private final long seed = Long.getLong("belay.seed", System.nanoTime());
    private final List<String> failures = new ArrayList<>();
    private final Set<String> metCalls = new HashSet<>();
    private int met;
    private int tried;

    @BeforeEach
    void makeFolders() throws IOException {
        folder = folder.toRealPath();
    }

    // --- sessions on a running host ---

    @Test
    void whateverFailsInASessionIsToldAndCleanedUpAndOthersGoOn() throws Exception {
        List<Fault> faults;
        try (Stage stage = new Stage()) {
            stage.play(new Scenario(stage.sessions, stage.beside, Set.of(), false));
            Scenario counted = new Scenario(stage.sessions, stage.beside, Set.of(), false);
            faults = chosen(stage.play(counted));
            assertThat(counted.refusals()).as("refusals without a fault").isEmpty();
        }
        Stage stage = new Stage();
        try {
            for (Fault fault : faults) {
                Stage now = stage;
                if (!attempt(fault, () -> now.meet(fault))) {
                    // One badly handled fault must not hide the others.
                    stage.close();
                    stage = new Stage();
                }
            }
        } finally {
            stage.close();
        }
        report();
    }

    /// Sessions, including a bystander that must go on.
    private final class Stage implements AutoCloseable {
        final Sessions sessions = sessions();
        final Beside beside;
        private final Set<Long> spared;

        Stage() throws Exception {
            // The timer's thread starts when it is first needed.
            try (Session first = sessions.open(SessionSpec.of("true"))) {
                assertThat(first.awaitExit(Rig.PATIENCE)).isPresent();
            }
            Set<Long> before = descriptors();
            beside = new Beside(sessions);
            spared = descriptors();
            spared.removeAll(before);
        }

        Map<Injector.Site, Integer> play(Scenario scenario) throws InterruptedException {
            try (Injector injector = Injector.of(spared, (_, _) -> 0)) {
                scenario.play();
                return injector.counts();
            }
        }

        void meet(Fault fault) throws Exception {
            HeldResources before = HeldResources.now();
            Scenario scenario = new Scenario(sessions, beside, fault.codes(), fault.endsOutput());
            try (Injector injector = Injector.of(spared, fault.plan())) {
                scenario.play();
                note(injector.hit());
            }
            if (fault.invisible()) {
                assertThat(scenario.refusals()).as("refusals").isEmpty();
            }
            if (fault.closable()) {
                assertThat(scenario.refusedCloses()).as("refused closes").isEmpty();
            }
            for (Session left : sessions.list()) {
                if (!left.id().equals(beside.session.id())) {
                    left.close();
                }
            }
            if (!fault.closable()) {
                // If processes could not be looked at, those that left the group of an abandoned leader are not found.
                for (long pid : Rig.marked(sessions.instance() + "/")) {
                    if (pid != beside.pid()) {
                        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
                        Rig.awaitDeath(pid);
                    }
                }
            }
            requireOnlyWhatWas(before);
            try (Session next = sessions.open(SessionSpec.of("echo", "next"))) {
                assertThat(next.awaitExit(Rig.PATIENCE).orElseThrow().code()).isZero();
                assertThat(next.cursor().drainText(100).text()).isEqualTo("next\r\n");
            }
        }

        private void requireOnlyWhatWas(HeldResources before) throws IOException {
            // The bystander's log grows and starts a new file now and then.
            assertThat(before.leftAfter(LEAK_PATIENCE)).as("left behind")
                    .allMatch(left -> left.contains(beside.session.id()));
            requireNoTag();
            assertThat(sessions.list()).as("sessions").hasSize(1);
            assertThat(sessions.stats().permitsUsed()).as("permits").isEqualTo(1);
            assertThat(Rig.marked(sessions.instance() + "/")).as("processes").containsExactly(beside.pid());
            try (Stream<Path> files = Files.walk(folder.resolve("state"))) {
                assertThat(files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".log")))
                        .as("logs")
                        .allMatch(name -> name.startsWith(beside.session.id()));
            }
        }

        @Override
        public void close() {
            sessions.close();
        }
    }

    // --- a host from start to close ---

    @Test
    void whateverFailsInAHostFromItsMakingToItsEndIsToldAndCleanedUp() throws Exception {
        life();
        Map<Injector.Site, Integer> counts;
        try (Injector injector = Injector.of(Set.of(), (_, _) -> 0)) {
            life();
            counts = injector.counts();
        }
        for (Fault fault : chosen(counts)) {
            attempt(fault, () -> host(fault));
        }
        report();
    }

    private void life() throws InterruptedException {
        try (Sessions sessions = sessions()) {
            assertThat(sessions.open(SessionSpec.of("true")).awaitExit(Rig.PATIENCE)).isPresent();
            sessions.open(SessionSpec.of("sleep", "1000").pipe());
        }
    }

    private void host(Fault fault) throws Exception {
        HeldResources before = HeldResources.now();
        try (Injector injector = Injector.of(Set.of(), fault.plan())) {
            try {
                life();
            } catch (SessionException e) {
                assertThat(fault.invisible()).as("%s is noticed: %s", fault, e).isFalse();
                // A failure to close at the end is reported too.
                boolean closing = !fault.closable() && e.code() == ErrorCode.INTERNAL;
                assertThat(closing || fault.codes().contains(e.code())).as(e.toString()).isTrue();
            }
            note(injector.hit());
        }
        assertThat(before.leftAfter(LEAK_PATIENCE)).as("left behind").isEmpty();
        requireNoTag();
        try (Stream<Path> files = Files.walk(folder.resolve("state"))) {
            assertThat(files.filter(Files::isRegularFile)).as("state files").isEmpty();
        }
    }

    // --- shared ---

    private static void requireNoTag() throws IOException {
        assertThat(Tag.parse(Files.readString(Path.of("/proc/self/limits")))).as("tag of this JVM").isEqualTo(Tag.NONE);
    }

    private Sessions sessions() {
        return Sessions.builder(LinuxHost.inOwnProcess(folder))
                .state(folder.resolve("state"))
                .environment(Environment.basic(System.getenv()))
                .limits(Limits.DEFAULT.logBytes(512 << 10).closeGrace(Duration.ofMillis(100)))
                .build();
    }

    /// A bystander: a session that runs all the time and answers each question.
    private static final class Beside implements Runnable {
        final Session session;
        private final Cursor cursor;
        private int asked;

        Beside(Sessions sessions) {
            session = sessions.open(
                    SessionSpec.of("/bin/sh", "-c", "while read q; do echo \"answer $q\"; done").pipe());
            cursor = session.cursor();
            run();
        }

        long pid() {
            return session.snapshot().pid();
        }

        @Override
        public void run() {
            try {
                String question = "q" + asked++;
                session.writeLine(question);
                String answer = "answer " + question + "\n";
                Waited waited = cursor.await(Until.offset(cursor.position() + answer.length()), Rig.PATIENCE);
                assertThat(waited.fired()).as("an answer of the bystander").isEqualTo(Waited.Fired.OFFSET);
                assertThat(cursor.drainText(1 << 16).text()).isEqualTo(answer);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
        }
    }

    private static Set<Long> descriptors() throws IOException {
        Set<Long> found = new HashSet<>();
        try (DirectoryStream<Path> links = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path link : links) {
                // Not the descriptor that lists them: its number goes to the next terminal.
                if (!Files.isDirectory(link) || !Files.isSameFile(link, Path.of("/proc/self/fd"))) {
                    found.add(Long.parseLong(link.getFileName().toString()));
                }
            }
        }
        return found;
    }

    private interface Case {
        void run() throws Exception;
    }

    private boolean attempt(Fault fault, Case run) throws InterruptedException {
        Thread here = Thread.currentThread();
        String name = here.getName();
        // If it hangs, the thread dump at the timeout names it.
        here.setName(name + ", with " + fault);
        tried++;
        try {
            run.run();
            return true;
        } catch (InterruptedException e) {
            failures.add(fault + " took too long");
            throw new InterruptedException(failures.toString());
        } catch (Exception | AssertionError e) {
            failures.add(fault + ": " + e);
            return false;
        } finally {
            here.setName(name);
        }
    }

    private void note(Injector.@Nullable Site hit) {
        if (hit != null) {
            met++;
            metCalls.add(hit.call());
        }
    }

    private List<Fault> chosen(Map<Injector.Site, Integer> counts) {
        List<Fault> all = Fault.all(counts);
        if (ALL) {
            return all;
        }
        List<Fault> mixed = new ArrayList<>(all);
        Collections.shuffle(mixed, new Random(seed));
        // Each error of each site once, then some more, including shortages.
        Set<Fault> errors = new HashSet<>();
        Set<Fault> sample = new LinkedHashSet<>(mixed.stream()
                .filter(fault -> fault.site() != null && errors.add(new Fault(fault.site(), fault.errno(), 0)))
                .toList());
        mixed.stream().limit(MORE).forEach(sample::add);
        mixed.stream().filter(fault -> fault.site() == null).limit(MORE).forEach(sample::add);
        return List.copyOf(sample);
    }

    private void report() {
        System.out.println("faults met: " + met + " of " + tried + ", seed " + seed);
        assertThat(failures).as("badly handled faults, seed %d", seed).isEmpty();
        assertThat(metCalls).as("calls that failed").containsAll(MUST_FAIL);
        assertThat(met).as("faults met of %d, seed %d", tried, seed).isGreaterThanOrEqualTo(tried * MET_PERCENT / 100);
    }
}
