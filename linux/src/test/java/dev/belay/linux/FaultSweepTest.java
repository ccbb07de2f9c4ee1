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
import dev.belay.testkit.Holdings;
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

/// Whatever the kernel refuses at whichever call: no hang, no leak, no byte that was acknowledged and lost, and others
/// go on.
///
/// A sample from a printed seed by default; `-Dbelay.faults=all` runs everything.
@ExtendWith(LeakCheck.class)
class FaultSweepTest {
    private static final Duration LEAK_PATIENCE = Duration.ofSeconds(20);
    private static final boolean ALL = "all".equals(System.getProperty("belay.faults"));
    /// How many a sample has beyond those it has to have.
    private static final int MORE = 10;
    /// What has to be among the calls that fail, by the names of [Libc].
    private static final Set<String> MUST_FAIL = Set.of(
            "open", "openat2", "spawn", "read", "write", "epollWait", "epollCtl " + Abi.EPOLL_CTL_ADD, "waitid",
            "pidfdOpen", Fault.ioctl(Abi.TIOCSWINSZ));
    /// How many of a hundred have to be met. Not all are: how often a call is made differs from run to run, most of all
    /// where all processes of the machine are looked at, which takes up much of the whole.
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

    // --- sessions on a host that is there ---

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
                    // One fault that is handled badly must not hide the others.
                    stage.close();
                    stage = new Stage();
                }
            }
        } finally {
            stage.close();
        }
        report();
    }

    /// Sessions, one of which stands beside and has to go on.
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
            Holdings before = Holdings.now();
            Scenario scenario = new Scenario(sessions, beside, fault.codes(), fault.endsOutput());
            try (Injector injector = Injector.of(spared, fault.plan())) {
                scenario.play();
                note(injector.hit());
            }
            if (fault.invisible()) {
                assertThat(scenario.refusals()).as("refusals").isEmpty();
            }
            if (fault.closable()) {
                assertThat(scenario.refusedCloses()).as("closes that were refused").isEmpty();
            }
            for (Session left : sessions.list()) {
                if (!left.id().equals(beside.session.id())) {
                    left.close();
                }
            }
            if (!fault.closable()) {
                // Where nothing could be looked at, what left the group of a leader that could not be kept is not found.
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

        private void requireOnlyWhatWas(Holdings before) throws IOException {
            // The log of the session beside grows, and begins a new file now and then.
            assertThat(before.leftAfter(LEAK_PATIENCE)).as("left behind")
                    .allMatch(left -> left.contains(beside.session.id()));
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

    // --- a host from its making to its end ---

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
        Holdings before = Holdings.now();
        try (Injector injector = Injector.of(Set.of(), fault.plan())) {
            try {
                life();
            } catch (SessionException e) {
                assertThat(fault.invisible()).as("%s is told: %s", fault, e).isFalse();
                // What cannot be closed at the end is told of as well.
                boolean closing = !fault.closable() && e.code() == ErrorCode.INTERNAL;
                assertThat(closing || fault.codes().contains(e.code())).as(e.toString()).isTrue();
            }
            note(injector.hit());
        }
        assertThat(before.leftAfter(LEAK_PATIENCE)).as("left behind").isEmpty();
        try (Stream<Path> files = Files.walk(folder.resolve("state"))) {
            assertThat(files.filter(Files::isRegularFile)).as("state files").isEmpty();
        }
    }

    // --- what both stand on ---

    private Sessions sessions() {
        return Sessions.builder(LinuxHost.at(folder))
                .state(folder.resolve("state"))
                .environment(Environment.basic(System.getenv()))
                .limits(Limits.DEFAULT.logBytes(512 << 10).closeGrace(Duration.ofMillis(100)))
                .build();
    }

    /// A session that is there all the time and answers each question.
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
                assertThat(waited.fired()).as("an answer of the session beside").isEqualTo(Waited.Fired.OFFSET);
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
                // Not the one that lists them: its number goes to the next terminal.
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
        // If it hangs, the dump of all threads at the end of the time names it.
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
        // Each error of each site once, then some more, wants among them.
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
        assertThat(failures).as("faults that were handled badly, seed %d", seed).isEmpty();
        assertThat(metCalls).as("calls that failed").containsAll(MUST_FAIL);
        assertThat(met).as("faults met of %d, seed %d", tried, seed).isGreaterThanOrEqualTo(tried * MET_PERCENT / 100);
    }
}
