package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.EndReason;
import dev.belay.ErrorCode;
import dev.belay.ExitStatus;
import dev.belay.Resources;
import dev.belay.Resources.Together;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Signal;
import dev.belay.Until;
import dev.belay.testkit.LeakCheck;
import dev.belay.testkit.Rig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Sessions in control groups. The tests use whatever this machine lets Belay do: each one asserts either what a cgroup
/// does or the refusal that says why there is none. What needs controllers that the machine may lack is tested on an
/// ordinary folder too.
@ExtendWith(LeakCheck.class)
@Timeout(120)
class CgroupTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final @Nullable Path place = CgroupSupport.look().place();

    @TempDir
    Path folder = Path.of("");

    private @Nullable Sessions opened;

    @BeforeEach
    void open() {
        opened = Sessions.builder(LinuxHost.at(folder)).state(folder.resolve("state")).build();
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        sessions().close();
        assertThat(ourGroups()).as("control groups").isEmpty();
        assertThat(Rig.marked(sessions().instance() + "/")).as("processes").isEmpty();
    }

    private Sessions sessions() {
        return java.util.Objects.requireNonNull(opened);
    }

    private List<Path> ourGroups() throws IOException {
        if (place == null) {
            return List.of();
        }
        try (Stream<Path> groups = Files.list(place)) {
            String ours = "belay-" + ProcessHandle.current().pid() + "-";
            return groups.filter(group -> group.getFileName().toString().startsWith(ours)).toList();
        }
    }

    private static SessionSpec in(Together together, String script) {
        return SessionSpec.of("/bin/sh", "-c", script).pipe().resources(Resources.AS_BELAY.together(together));
    }

    /// Opens a session with these limits; null if the machine cannot. Then the refusal must say so and leave nothing.
    private @Nullable Session open(Together together, String script) throws IOException {
        Set<String> needed = new java.util.TreeSet<>();
        SessionCgroup.bounds(together).keySet().forEach(file -> needed.add(file.substring(0, file.indexOf('.'))));
        if (place != null && HostCgroup.controllers(place).containsAll(needed)) {
            return sessions().open(in(together, script));
        }
        List<Path> before = ourGroups();
        SessionException refusal = catchThrowableOfType(
                SessionException.class, () -> sessions().open(in(together, script)));
        assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(refusal).hasMessageContaining("cgroups").hasMessageContaining("docs/operations.md");
        assertThat(sessions().stats().permitsUsed()).isZero();
        assertThat(ourGroups()).isEqualTo(before);
        return null;
    }

    private static String textOf(Session session) throws InterruptedException {
        assertThat(session.awaitExit(PATIENCE)).isPresent();
        return session.cursor().drainText(1 << 16).text();
    }

    private static String unified(String memberships) {
        return memberships.lines().filter(line -> line.startsWith("0::")).toList().toString();
    }

    @Test
    void aProgramAndAllItStartsAreInTheGroupFromTheFirstMomentOn() throws Exception {
        String script = "env -i setsid cat /proc/self/cgroup; cat /proc/self/cgroup";
        Session session = open(Together.UNBOUNDED, script);
        if (session != null) {
            List<String> groups = textOf(session).lines().filter(line -> line.startsWith("0::")).toList();
            assertThat(groups).hasSize(2).allMatch(line -> line.matches("0::.*/belay-[^/]+/s1"));
            assertThat(ourGroups()).hasSize(1);
            session.close();
            assertThat(ourGroups().getFirst().resolve("s1")).doesNotExist();
        }
    }

    @Test
    void aTerminalSessionIsInItsGroupTooAndTwoHaveOneEach() throws Exception {
        Session piped = open(Together.UNBOUNDED, "cat /proc/self/cgroup");
        if (piped != null) {
            Session terminal = sessions().open(SessionSpec.of("cat", "/proc/self/cgroup")
                    .resources(Resources.AS_BELAY.together(Together.UNBOUNDED).openFiles(40L)));
            assertThat(unified(textOf(terminal))).contains("/s2").isNotEqualTo(unified(textOf(piped)));
        }
    }

    @Test
    void aSessionThatRefusesToEndIsEndedByItsGroup() throws Exception {
        // Detached, without mark, tag and descriptors, and each gone before it can be signalled: only the cgroup holds
        // it.
        String walker = """
                import os, resource
                os.setsid()
                resource.setrlimit(10, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
                open('walking', 'w').close()
                os.closerange(0, 3)
                while True:
                    if os.fork():
                        os._exit(0)
                """;
        Path script = Files.writeString(folder.resolve("walker.py"), walker, StandardCharsets.UTF_8);
        Session session = open(
                Together.UNBOUNDED,
                "trap '' HUP TERM; python=$(command -v python3); env -i PATH=$PATH $python " + script
                        + " & while [ ! -e walking ]; do sleep 0.01; done; echo up; read x");
        if (session != null) {
            session.cursor().await(Until.match("up"), PATIENCE);
            SessionCgroup group = new SessionCgroup(ourGroups().getFirst().resolve("s1"));
            assertThat(group.pids()).contains(session.snapshot().pid());
            session.close(true);
            assertThat(group.folder()).as("only an empty cgroup can be removed").doesNotExist();
        }
    }

    @Test
    void groupsWithinTheGroupAreEndedAndRemovedToo() throws Exception {
        Session session = open(
                Together.UNBOUNDED,
                "g=" + place + "$(sed -n 's/^0:://p' /proc/self/cgroup | sed 's,.*\\(/belay-\\),\\1,');"
                        + " mkdir -p $g/in/ner; sh -c \"echo \\$\\$ > $g/in/ner/cgroup.procs; exec sleep 1000\" &"
                        + " until grep -q . $g/in/ner/cgroup.procs; do sleep 0.01; done; echo up; read x");
        if (session != null) {
            session.cursor().await(Until.match("up"), PATIENCE);
            SessionCgroup group = new SessionCgroup(ourGroups().getFirst().resolve("s1"));
            assertThat(group.folder().resolve("in/ner")).exists();
            session.close();
            assertThat(group.folder()).doesNotExist();
        }
    }

    @Test
    void aProgramThatIsNotThereLeavesNoGroup() throws Exception {
        if (open(Together.UNBOUNDED, "true") != null) {
            for (String program : List.of("no-such-program", "/no/such/program")) {
                SessionSpec spec = SessionSpec.of(program).resources(Resources.AS_BELAY.together(Together.UNBOUNDED));
                assertThat(catchThrowableOfType(
                        SessionException.class, () -> sessions().open(spec))
                        .code()).isEqualTo(ErrorCode.SPAWN_FAILED);
            }
            SessionSpec impossible = in(Together.UNBOUNDED, "true");
            SessionSpec refused = impossible.resources(impossible.resources().openFiles(1L << 40));
            assertThat(catchThrowableOfType(
                    SessionException.class, () -> sessions().open(refused))
                    .code()).isEqualTo(ErrorCode.INVALID_REQUEST);
            sessions().closeAll();
            try (Stream<Path> left = Files.list(ourGroups().getFirst())) {
                assertThat(left.filter(Files::isDirectory)).isEmpty();
            }
        }
    }

    @Test
    void anInterruptDoesNotHarmTheOpening() throws Exception {
        Thread.currentThread().interrupt();
        Session session = open(Together.UNBOUNDED, "echo whole");
        assertThat(Thread.interrupted()).as("the flag is kept").isTrue();
        if (session != null) {
            assertThat(textOf(session)).isEqualTo("whole\n");
        }
    }

    @Test
    void whatAKilledBelayLeftIsKilledAndRemovedByTheNext() throws Exception {
        if (place == null) {
            assertThat(open(Together.UNBOUNDED, "true")).isNull();
            return;
        }
        // In a container, the killed Belay had the same pid as this one.
        String name = "belay-" + ProcessHandle.current().pid() + "-" + UUID.randomUUID();
        Path left = Files.createDirectories(place.resolve(name).resolve("s1")).getParent();
        Path other = place.resolve("belay-0-" + UUID.randomUUID());
        Process orphan = new ProcessBuilder("sleep", "1000").start();
        new SessionCgroup(left.resolve("s1")).join(orphan.pid());
        // A cgroup that another Belay holds stays.
        Process held = new ProcessBuilder(
                "python3", "-c",
                "import fcntl,os,sys; g=sys.argv[1]; os.mkdir(g); f=open(g+'/cgroup.freeze','r+');"
                        + " fcntl.lockf(f,fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read();"
                        + " f.close(); os.rmdir(g)",
                other.toString()).start();
        assertThat(held.inputReader(StandardCharsets.UTF_8).readLine()).isEqualTo("held");
        open(Together.UNBOUNDED, "true");
        assertThat(left).doesNotExist();
        assertThat(orphan.waitFor()).isEqualTo(128 + Signal.KILL.number());
        assertThat(other).exists();
        held.getOutputStream().close();
        assertThat(held.waitFor()).isZero();
    }

    @Test
    void memoryOfTheWholeSessionIsLimitedOrTheOpenRefused() throws Exception {
        String many = "for i in 1 2 3 4; do python3 -c 'x = bytearray(60 << 20); input()' & done; wait";
        Session session = open(Together.UNBOUNDED.memoryBytes(100L << 20), many);
        if (session != null) {
            assertThat(session.awaitExit(PATIENCE).orElseThrow().signal()).contains(Signal.KILL);
            assertThat(session.snapshot().endReason()).isEqualTo(EndReason.MEMORY_LIMIT);
        }
    }

    @Test
    void processesOfTheWholeSessionAreLimitedOrTheOpenRefused() throws Exception {
        String many = "for i in 1 2 3 4 5 6 7 8; do sleep 1000 & done";
        Session session = open(Together.UNBOUNDED.processes(4L), many);
        if (session != null) {
            assertThat(session.awaitExit(PATIENCE).orElseThrow().code()).isNotZero();
            assertThat(session.snapshot().endReason()).isEqualTo(EndReason.PROCESS_LIMIT);
        }
    }

    @Test
    void coresOfTheWholeSessionAreLimitedOrTheOpenRefused() throws Exception {
        Session session = open(Together.UNBOUNDED.cores(0.5), "echo up; read x");
        if (session != null) {
            session.cursor().await(Until.match("up"), PATIENCE);
            assertThat(ourGroups().getFirst().resolve("s1/cpu.max")).hasContent("50000 100000");
        }
    }

    // --- on an ordinary folder ---

    private Path standIn(String name, String controllers, String passedOn, String processes) throws IOException {
        Path group = Files.createDirectories(folder.resolve(name));
        Files.writeString(group.resolve("cgroup.type"), "domain\n");
        Files.writeString(group.resolve("cgroup.controllers"), controllers + "\n");
        Files.writeString(group.resolve("cgroup.subtree_control"), passedOn + "\n");
        Files.writeString(group.resolve("cgroup.procs"), processes);
        return group;
    }

    @Test
    void aGroupWithProcessesPassesOnOnlyWhatItPassesOnAlready() throws IOException {
        assertThat(HostCgroup.controllers(standIn("a", "cpuset cpu io memory pids", "", "")))
                .containsExactly("cpu", "memory", "pids");
        assertThat(HostCgroup.controllers(standIn("b", "cpu memory", "", "17\n"))).isEmpty();
        assertThat(HostCgroup.controllers(standIn("c", "cpu memory", "memory", "17\n"))).containsExactly("memory");
        Path root = standIn("d", "hugetlb pids", "", "1\n2\n");
        Files.delete(root.resolve("cgroup.type"));
        assertThat(HostCgroup.controllers(root)).containsExactly("pids");
    }

    @Test
    void groupsAreMadeBesideBelaysOwnOnlyWhereThatIsDelegated() throws IOException {
        Path service = standIn("service", "cpu memory pids", "", "");
        Path own = standIn("service/main", "cpu memory pids", "", "17\n");
        boolean root = Files.getOwner(service).equals(Files.getOwner(Path.of("/")));
        assertThat(HostCgroup.place(own)).as("not marked as delegated").isEqualTo(root ? own : service);
        Files.setAttribute(service, "user:delegate", java.nio.ByteBuffer.wrap(new byte[] {'1'}));
        assertThat(HostCgroup.place(own)).isEqualTo(service);
        assertThat(HostCgroup.place(service)).isEqualTo(service);
        assertThat(HostCgroup.place(null)).isNull();
    }

    @Test
    void aUsersSliceIsTheServiceManagersAlthoughTheUserOwnsIt() throws IOException {
        Path slice = standIn("app.slice", "cpu memory pids", "", "");
        Path own = standIn("app.slice/belay-server.service", "cpu memory pids", "", "17\n");
        if (Files.getOwner(slice).equals(Files.getOwner(Path.of("/")))) {
            Files.setAttribute(slice, "unix:uid", 65_534);
        }
        assertThat(HostCgroup.place(own)).isEqualTo(own);
    }

    /// A stand-in for a cgroup whose lock is free; killing it writes to `cgroup.kill`.
    private static Path free(Path group) throws IOException {
        Files.createDirectories(group);
        Files.createFile(group.resolve("cgroup.freeze"));
        return Files.createFile(group.resolve("cgroup.kill"));
    }

    @Test
    void nothingIsSweptThatBelayHasNotMade() throws IOException {
        Path slice = Files.createDirectory(folder.resolve("slice"));
        String uuid = UUID.randomUUID().toString();
        List<Path> spared = new ArrayList<>();
        for (String name : List.of(
                "belay-server.service", "belay-1.scope", "belay-0-left", "belay-" + uuid,
                "belay-1-" + uuid + ".service")) {
            spared.add(free(slice.resolve(name)));
        }
        Path here = slice.resolve("belay-1-" + uuid);
        spared.add(free(here));
        HostCgroup.sweep(slice, here.resolve("inner"));
        assertThat(spared).allSatisfy(kill -> assertThat(kill).isEmptyFile());
    }

    @Test
    void boundsAreWrittenAsTheKernelReadsThem() throws IOException {
        SessionCgroup group = new SessionCgroup(standIn("bounded", "", "", ""));
        Files.createFile(group.folder().resolve("memory.swap.max"));
        group.bound(new Together(1L << 20, 30L, 1.5));
        assertThat(group.folder().resolve("memory.max")).hasContent("1048576");
        assertThat(group.folder().resolve("memory.swap.max")).hasContent("0");
        assertThat(group.folder().resolve("memory.oom.group")).hasContent("1");
        assertThat(group.folder().resolve("pids.max")).hasContent("30");
        assertThat(group.folder().resolve("cpu.max")).hasContent("150000 100000");
        assertThat(SessionCgroup.bounds(Together.UNBOUNDED)).isEmpty();
    }

    @Test
    void theLimitThatWasReachedIsReadFromTheEvents() throws IOException {
        SessionCgroup group = new SessionCgroup(standIn("events", "", "", ""));
        ExitStatus killed = new ExitStatus.Signaled(Signal.KILL);
        ExitStatus failed = new ExitStatus.Exited(2);
        assertThat(group.limitHit(killed)).as("no controllers, no events").isEmpty();
        Files.writeString(group.folder().resolve("memory.events"), "low 0\nmax 7\noom 1\noom_kill 0\n");
        Files.writeString(group.folder().resolve("pids.events"), "max 0\n");
        assertThat(group.limitHit(killed)).isEmpty();
        Files.writeString(group.folder().resolve("memory.events"),
                "low 0\nmax 7\noom 1\noom_kill 3\noom_group_kill 1\n");
        assertThat(group.limitHit(killed)).contains(EndReason.MEMORY_LIMIT);
        assertThat(group.limitHit(failed)).as("something else was killed").isEmpty();
        Files.writeString(group.folder().resolve("pids.events"), "max 4\n");
        assertThat(group.limitHit(failed)).contains(EndReason.PROCESS_LIMIT);
        assertThat(group.limitHit(new ExitStatus.Exited(0))).isEmpty();
    }
}
