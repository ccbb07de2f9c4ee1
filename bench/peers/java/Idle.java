import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Many sessions in which nothing happens.
///
/// The JVM is started with all of its heap touched, so memory each is what the heap holds more after a collection,
/// and what anonymous memory the process has more besides.
record Idle(Peer peer, Work work) {
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

    private static double cpuMs() {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return system.getProcessCpuTime() / 1e6;
    }
}
