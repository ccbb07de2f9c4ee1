import dev.belay.Environment;
import dev.belay.Limits;
import dev.belay.Sessions;
import dev.belay.linux.LinuxHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import sun.misc.Signal;

/// Opens random sessions on several threads until the time is over. Checks their output while they run and, at rests in
/// between and at the end, that nothing is left of them.
final class Soak {
    private static final int WORKERS = 8;
    /// How often everything is brought to rest, checked and measured.
    private static final int RESTS = 12;
    private static final int MOST_FAILURES = 20;
    private static final long REPORT_SECONDS = 10;
    /// Far longer than anything a worker waits for.
    private static final Duration HANG = Duration.ofMinutes(5);

    private final Options options;
    private final Path state;
    private final Sessions sessions;
    private final HeldResources before = HeldResources.now();
    private final int terminalsBefore = HeldResources.terminals();
    private final Memory memory = new Memory();
    private final AtomicLong opened = new AtomicLong();
    private final Map<Act, AtomicLong> acts = new EnumMap<>(Act.class);
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    /// Workers share it for one act at a time; a rest holds it exclusively.
    private final ReentrantReadWriteLock rest = new ReentrantReadWriteLock(true);
    private final CountDownLatch stop = new CountDownLatch(1);
    private final long begin = System.nanoTime();
    private volatile String why = "time is over";

    /// @param sessions the most sessions to open
    /// @param only     the acts to choose from
    record Options(Duration time, long seed, long sessions, Set<Act> only) {
        static final String USAGE = """
                usage: bench/soak --minutes N [--seed S] [--sessions MAX] [--only ACT[,ACT...]]

                  --minutes N      duration; fractions are allowed
                  --seed S         repeats the choices of a run (default: random, and printed)
                  --sessions MAX   ends after this many sessions
                  --only ACTS      runs only these acts; the report of a run names them

                Opens random sessions on 8 threads: short commands, interpreters, floods, hostile children, timeouts and
                more. Prints a line every 10 seconds. Twelve times, the last at the end, everything is brought to rest:
                then descriptors, terminals, threads, processes, permits and state files must be as before the first session,
                and memory must be flat. Exit status: 0 if all is well, 1 with a list if not. Ctrl-C ends it early.""";

        static Options parse(String[] args) {
            double minutes = 0;
            long seed = System.nanoTime();
            long sessions = Long.MAX_VALUE;
            Set<Act> only = EnumSet.allOf(Act.class);
            for (int i = 0; i < args.length; i++) {
                String value = i + 1 < args.length ? args[i + 1] : "";
                switch (args[i++]) {
                    case "--minutes" -> minutes = Double.parseDouble(value);
                    case "--seed" -> seed = Long.parseLong(value);
                    case "--sessions" -> sessions = Long.parseLong(value);
                    case "--only" -> only = Stream.of(value.split(",", -1))
                            .map(Act::valueOf)
                            .collect(Collectors.toCollection(() -> EnumSet.noneOf(Act.class)));
                    default -> throw new IllegalArgumentException(args[i - 1]);
                }
            }
            if (!(minutes > 0) || sessions < 1) {
                throw new IllegalArgumentException("--minutes and --sessions must be positive");
            }
            return new Options(Duration.ofNanos((long) (minutes * 60e9)), seed, sessions, only);
        }
    }

    public static void main(String[] args) throws Exception {
        if (List.of(args).contains("--help") || List.of(args).contains("-h")) {
            System.out.println(Options.USAGE);
            return;
        }
        Options options;
        try {
            options = Options.parse(args);
        } catch (IllegalArgumentException e) {
            System.err.println("soak: invalid option: " + e.getMessage() + "\n" + Options.USAGE);
            System.exit(2);
            return;
        }
        System.exit(new Soak(options).run() ? 0 : 1);
    }

    private Soak(Options options) throws IOException {
        this.options = options;
        state = Files.createTempDirectory(Path.of(System.getProperty("soak.state", "/tmp")), "soak").toRealPath();
        Files.createDirectory(state.resolve("workspace"));
        for (Act act : Act.values()) {
            acts.put(act, new AtomicLong());
        }
        sessions = Sessions.builder(LinuxHost.at(state.resolve("workspace")))
                .state(state.resolve("state"))
                .environment(Environment.basic(System.getenv()))
                .limits(Player.LIMITS.maxSessions(4 * WORKERS))
                .build();
    }

    private boolean run() throws Exception {
        System.out.printf(
                "soak: seed %d, %s minutes, %d threads, mark %s%n",
                options.seed(), options.time().toMillis() / 60e3, WORKERS, sessions.instance());
        Signal.handle(new Signal("INT"), _ -> end("interrupted"));
        Signal.handle(new Signal("TERM"), _ -> end("terminated"));
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            int worker = i;
            workers.add(started("soak-" + i, () -> work(worker)));
        }
        watch();
        boolean ended = awaitWorkers(workers);
        if (ended) {
            takeRest(true);
        }
        if (bounded("closing everything", sessions::close)) {
            checkAtRest("after the end", Limits.DEFAULT);
        }
        memory.growth().forEach(failures::add);
        report();
        delete(state);
        return failures.isEmpty();
    }

    /// A thread whose failure fails the run.
    private Thread started(String name, Runnable task) {
        return Thread.ofPlatform()
                .name(name)
                .uncaughtExceptionHandler((thread, e) -> fail(thread.getName() + " ended: " + described(e)))
                .start(task);
    }

    /// Runs something that may hang.
    ///
    /// @return whether it finished
    private boolean bounded(String what, Runnable task) throws InterruptedException {
        return ended(started("soak-closer", task), what, HANG);
    }

    private boolean ended(Thread thread, String what, Duration within) throws InterruptedException {
        if (thread.join(within)) {
            return true;
        }
        fail(what + " hangs");
        Thread.getAllStackTraces().forEach((each, stack) -> {
            System.out.println("soak: thread " + each.getName() + " " + each.getState());
            Stream.of(stack).forEach(frame -> System.out.println("    at " + frame));
        });
        end(what + " hangs");
        return false;
    }

    private void end(String reason) {
        if (stop.getCount() > 0) {
            why = reason;
            stop.countDown();
        }
    }

    private double seconds() {
        return (System.nanoTime() - begin) / 1e9;
    }

    /// The progress of the run, from 0 to 1.
    private double progress() {
        double time = seconds() / (options.time().toNanos() / 1e9);
        return Math.max(time, (double) opened.get() / options.sessions());
    }

    // --- the workers ---

    private void work(int worker) {
        // Each worker and each seed makes its own choices.
        Random random = new Random(new SplittableRandom(options.seed() * WORKERS + worker).nextLong());
        Player player = new Player(sessions, random, state, worker, opened);
        while (stop.getCount() > 0) {
            Act act = Act.any(random, options.only());
            rest.readLock().lock();
            try {
                act.run(player);
                acts.get(act).incrementAndGet();
            } catch (Throwable e) {
                fail(act + " on thread " + worker + ": " + described(e));
            } finally {
                try {
                    player.tidy();
                } catch (Throwable e) {
                    fail("close after " + act + " on thread " + worker + ": " + described(e));
                } finally {
                    rest.readLock().unlock();
                }
            }
        }
    }

    private void fail(String what) {
        failures.add(what);
        System.out.println("soak: FAILED " + what);
        if (failures.size() >= MOST_FAILURES) {
            end("too many failures");
        }
    }

    private static String described(Throwable e) {
        String at = Stream.of(e.getStackTrace())
                .filter(frame -> frame.getClassName().matches("Act|Player|Known|dev\\.belay.*"))
                .limit(4)
                .map(frame -> frame.getFileName() + ":" + frame.getLineNumber())
                .collect(Collectors.joining(" < "));
        return e + " at " + at;
    }

    private boolean awaitWorkers(List<Thread> workers) throws InterruptedException {
        boolean ended = true;
        long deadline = System.nanoTime() + HANG.toNanos();
        for (Thread worker : workers) {
            ended &= ended(worker, worker.getName(), Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
        }
        return ended;
    }

    // --- the watch ---

    private void watch() throws Exception {
        int rests = 0;
        long lastOpened = 0;
        double lastSeconds = 0;
        double nextReport = REPORT_SECONDS;
        while (!stop.await(200, TimeUnit.MILLISECONDS)) {
            if (progress() >= 1) {
                why = seconds() * 1e9 >= options.time().toNanos() ? why : "enough sessions";
                stop.countDown();
            } else if (progress() * RESTS >= rests + 1) {
                rests++;
                takeRest(false);
            }
            if (seconds() >= nextReport) {
                long now = opened.get();
                System.out.printf(
                        "soak: %6.0f s  %,9d sessions  %5.0f/s  %3d live  %4d MiB resident  %3d descriptors"
                                + "  %d failures%n",
                        seconds(), now, (now - lastOpened) / (seconds() - lastSeconds), sessions.stats().permitsUsed(),
                        Memory.residentKib() >> 10, HeldResources.now().descriptors().size(), failures.size());
                lastOpened = now;
                lastSeconds = seconds();
                nextReport += REPORT_SECONDS;
            }
        }
    }

    /// Waits for every act to end, closes all sessions and checks what is left.
    private void takeRest(boolean last) throws Exception {
        if (!rest.writeLock().tryLock(HANG.toSeconds(), TimeUnit.SECONDS)) {
            fail("a worker does not stop");
            end("a worker hangs");
            return;
        }
        try {
            if (bounded("closing all sessions", sessions::closeAll)) {
                checkAtRest(last ? "at the end" : "after " + opened.get() + " sessions", sessions.limits());
                memory.measure(opened.get(), progress(), seconds());
            }
        } finally {
            rest.writeLock().unlock();
        }
    }

    private void checkAtRest(String when, Limits limits) throws Exception {
        HeldResources held = before.withHost(!limits.equals(Limits.DEFAULT));
        for (String left : HeldResources.leftBeyond(held, sessions, state)) {
            fail(when + ": " + left);
        }
    }

    private void report() throws IOException {
        System.out.printf("soak: ended (%s): %,d sessions in %.0f s%n", why, opened.get(), seconds());
        System.out.println("soak: acts " + acts);
        System.out.println("soak: " + sessions.stats());
        memory.print();
        System.out.printf(
                "soak: terminals on the whole machine: %d before, %d after%n",
                terminalsBefore, HeldResources.terminals());
        String verdict = failures.isEmpty() ? "nothing wrong" : failures.size() + " failures";
        System.out.println("soak: " + verdict
                + (memory.judged() ? "" : "; memory was NOT judged: too few rests after the warm-up, run longer"));
        failures.forEach(failure -> System.out.println("  " + failure));
        System.out.println("soak: repeat with --seed " + options.seed());
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
