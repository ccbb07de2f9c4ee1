import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// The peers that run in a JVM. `Bench PEER WORK CHILD WARM_MS RUN_MS SIZE` prints `NAME VALUE UNIT` lines.
final class Bench {
    private Bench() {}

    public static void main(String[] args) throws Exception {
        if (args.length != 6) {
            System.err.println("usage: Bench belay|pty4j|processbuilder WORK CHILD WARM_MS RUN_MS SIZE");
            System.exit(2);
        }
        Path state = Files.createTempDirectory(Path.of(System.getProperty("bench.state", "/tmp")), "state");
        try (Peer peer = peer(args[0], state)) {
            Work work = new Work(
                    peer, args[2], Long.parseLong(args[3]), Long.parseLong(args[4]), Long.parseLong(args[5]));
            switch (args[1]) {
                case "spawn" -> work.spawn();
                case "parallel" -> work.parallel();
                case "echo" -> work.echo(false);
                case "flood" -> work.echo(true);
                case "lines", "bytes" -> work.bulk(args[1], args[1], Peer.On.BULK);
                case "pipe" -> work.bulk("pipe", "bytes", Peer.On.PIPE);
                case "paste" -> work.paste();
                case "idle" -> new Idle(peer, work).run();
                case "growth" -> new Growth(((BelayPeer) peer).sessions, work).run();
                case "cold" -> {
                    peer.start(Peer.On.PTY, List.of("/bin/true")).awaitExit();
                    System.out.println("exited");
                }
                default -> throw new IllegalArgumentException("unknown work: " + args[1]);
            }
        } finally {
            delete(state);
        }
        // Threads that wait at the terminals of dead children may never end.
        System.exit(0);
    }

    private static Peer peer(String name, Path state) throws ReflectiveOperationException {
        return switch (name) {
            case "belay" -> new BelayPeer(state, false);
            case "screens" -> new BelayPeer(state, true);
            case "processbuilder" -> ProcessPeer.ofTheJdk();
            // By name, because it is not compiled if pty4j could not be fetched.
            case "pty4j" -> {
                var create = Class.forName("Pty4jPeer").getDeclaredMethod("create");
                yield (Peer) create.invoke(null);
            }
            default -> throw new IllegalArgumentException("unknown peer: " + name);
        };
    }

    private static void delete(Path folder) throws Exception {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    static void print(String name, double value, String unit) {
        System.out.printf(Locale.ROOT, "%s %.3f %s%n", name, value, unit);
    }

    /// Measured times, in nanoseconds.
    static final class Samples {
        private long[] values = new long[1 << 12];
        private int count;

        void add(long nanos) {
            if (count == values.length) {
                values = Arrays.copyOf(values, count * 2);
            }
            values[count++] = nanos;
        }

        /// In microseconds.
        double at(double share) {
            long[] sorted = Arrays.copyOf(values, count);
            Arrays.sort(sorted);
            return sorted[(int) (count * share)] / 1e3;
        }
    }
}
