import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;

/// The works of the benchmark, the same for every peer in a JVM.
///
/// @param child  the program that runs in the terminals
/// @param warmMs how long a work runs before it is measured
/// @param runMs  how long it is measured
/// @param size   bytes of output, or sessions
record Work(Peer peer, String child, long warmMs, long runMs, long size) {
    private static final int PARALLEL = 8;
    private static final int PASTE_BYTES = 1 << 20;
    private static final long WARM_BULK_BYTES = 20_000_000;

    void spawn() throws Exception {
        measure("spawn", () -> {
            runTrue();
            return null;
        });
    }

    void runTrue() throws Exception {
        peer.start(Peer.On.PTY, List.of("/bin/true")).awaitExit();
    }

    void parallel() throws Exception {
        long begin = System.nanoTime() + warmMs * 1_000_000;
        long end = begin + runMs * 1_000_000;
        AtomicLong done = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < PARALLEL; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    while (System.nanoTime() < end) {
                        runTrue();
                        long now = System.nanoTime();
                        if (now >= begin && now < end) {
                            done.incrementAndGet();
                        }
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                    Runtime.getRuntime().halt(1);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Bench.print("parallel", done.get() / (runMs / 1e3), "/s");
    }

    void echo(boolean flooded) throws Exception {
        Peer.Term echo = peer.start(Peer.On.PTY, List.of(child, "raw", "cat"));
        await(echo, "ready\n");
        Peer.Term flood = flooded ? peer.start(Peer.On.PTY, List.of(child, "bytes", "1000000000000")) : null;
        AtomicLong read = new AtomicLong();
        if (flood != null) {
            Thread.ofPlatform().daemon().start(() -> readAll(flood, read));
        }
        byte[] one = {'x'};
        long before = System.nanoTime();
        measure(flooded ? "flood" : "echo", () -> {
            echo.write(one);
            return echo.read();
        });
        if (flood != null) {
            Bench.print("flood.rate", read.get() * 1e3 / (System.nanoTime() - before), "MB/s");
            flood.end();
        }
        echo.end();
    }

    private static void readAll(Peer.Term term, AtomicLong count) {
        try {
            for (int got = term.read(); got > 0; got = term.read()) {
                count.addAndGet(got);
            }
        } catch (Exception _) {
            // Killed at the end of the work.
        }
    }

    private void measure(String name, Callable<?> once) throws Exception {
        long begin = System.nanoTime() + warmMs * 1_000_000;
        while (System.nanoTime() < begin) {
            once.call();
        }
        Bench.Samples samples = new Bench.Samples();
        long end = System.nanoTime() + runMs * 1_000_000;
        for (long before = System.nanoTime(); before < end; before = System.nanoTime()) {
            once.call();
            samples.add(System.nanoTime() - before);
        }
        Bench.print(name + ".p50", samples.at(0.5), "us");
        Bench.print(name + ".p99", samples.at(0.99), "us");
    }

    void bulk(String name, String kind, Peer.On on) throws Exception {
        long begin = System.nanoTime() + warmMs * 1_000_000;
        do {
            transfer(kind, on, WARM_BULK_BYTES);
        } while (System.nanoTime() < begin);
        List<Double> rates = new ArrayList<>();
        long end = System.nanoTime() + runMs * 1_000_000;
        do {
            long before = System.nanoTime();
            long total = transfer(kind, on, size);
            rates.add(total * 1e3 / (System.nanoTime() - before));
        } while (System.nanoTime() < end);
        rates.sort(null);
        Bench.print(name, rates.get(rates.size() / 2), "MB/s");
    }

    private long transfer(String kind, Peer.On on, long bytes) throws Exception {
        Peer.Term term = peer.start(on, List.of(child, kind, Long.toString(bytes)));
        long total = 0;
        for (int got = term.read(); got > 0; got = term.read()) {
            total += got;
        }
        if (total < bytes) {
            throw new IllegalStateException("only " + total + " of " + bytes + " bytes came");
        }
        return total;
    }

    void paste() throws Exception {
        byte[] text = new byte[PASTE_BYTES];
        Arrays.fill(text, (byte) 'x');
        long begin = System.nanoTime() + warmMs * 1_000_000;
        do {
            pasteOnce(text);
        } while (System.nanoTime() < begin);
        Bench.Samples samples = new Bench.Samples();
        long end = System.nanoTime() + runMs * 1_000_000;
        do {
            samples.add(pasteOnce(text));
        } while (System.nanoTime() < end);
        Bench.print("paste", samples.at(0.5) / 1e3, "ms");
    }

    private long pasteOnce(byte[] text) throws Exception {
        Peer.Term term = peer.start(Peer.On.PTY, List.of(child, "sink", Integer.toString(text.length)));
        await(term, "ready\n");
        long before = System.nanoTime();
        term.write(text);
        await(term, "done\n");
        long took = System.nanoTime() - before;
        term.awaitExit();
        return took;
    }

    private static void await(Peer.Term term, String text) throws Exception {
        StringBuilder seen = new StringBuilder();
        while (!seen.toString().contains(text)) {
            int got = term.read();
            if (got <= 0) {
                throw new IllegalStateException("the child ended without " + text.strip() + ": " + seen);
            }
            seen.append(new String(term.bytes(), 0, got, StandardCharsets.ISO_8859_1));
        }
    }
}
