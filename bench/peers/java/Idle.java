import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Measures many idle sessions.
///
/// The JVM starts with its whole heap touched, so the memory per session is the growth of the live heap after a
/// collection plus the growth of the process's anonymous memory.
record Idle(Peer peer, Work work) {
    private static final long SETTLE_MS = 2000;

    void run() throws Exception {
        long begin = System.nanoTime() + work.warmMs() * 1_000_000;
        while (System.nanoTime() < begin) {
            work.runTrue();
        }
        double base = kib();
        long before = System.nanoTime();
        List<Peer.Term> terms = new ArrayList<>();
        for (int i = 0; i < work.size(); i++) {
            Peer.Term term = peer.start(Peer.On.PTY, List.of("/bin/sleep", "1000"));
            term.standBy();
            terms.add(term);
        }
        Bench.print("idle.create", (System.nanoTime() - before) / 1e6, "ms");
        Bench.print("idle.each", (kib() - base) / work.size(), "KiB");
        Bench.print("idle.threads", status("/proc/self/status", "Threads:"), "threads");
        // Work that creation left to the compiler and the collector does not count as the cost of idle sessions.
        Thread.sleep(SETTLE_MS);
        double cpu = cpuMs();
        Thread.sleep(work.runMs());
        Bench.print("idle.cpu", (cpuMs() - cpu) * 1e3 / work.runMs(), "ms/s");
        before = System.nanoTime();
        peer.endAll(terms);
        Bench.print("idle.close", (System.nanoTime() - before) / 1e6, "ms");
    }

    private static double kib() throws IOException {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        double heap = (runtime.totalMemory() - runtime.freeMemory()) / 1024.0;
        return heap + status("/proc/self/smaps_rollup", "Anonymous:");
    }

    static double status(String file, String name) throws IOException {
        return Files.readAllLines(Path.of(file)).stream()
                .filter(line -> line.startsWith(name))
                .mapToDouble(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElseThrow();
    }

    /// CPU time of all threads in nanoseconds. The JVM's own figure counts ticks of 10 ms.
    private static double cpuMs() throws IOException {
        double nanos = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                nanos += Double.parseDouble(Files.readString(task.resolve("schedstat")).split(" ")[0]);
            }
        }
        return nanos / 1e6;
    }
}
