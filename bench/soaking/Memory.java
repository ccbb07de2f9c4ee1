import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/// The JVM's memory at rest, and whether it grows.
///
/// The heap is measured after a collection. All of it was touched at the start, so resident memory grows only by what
/// is outside of it. The first third of a run, and at least its first minute, is the JVM's warm-up. Memory is flat if
/// the median of the last three rests exceeds that of the first three by no more than [#HEAP_KIB] of heap and
/// [#RESIDENT_KIB] of resident memory. A leak of a few hundred bytes per session would exceed that in 100,000 sessions.
final class Memory {
    private static final double WARM = 1.0 / 3;
    private static final double WARM_SECONDS = 60;
    private static final int POINTS = 3;
    private static final long HEAP_KIB = 1 << 10;
    private static final long RESIDENT_KIB = 8 << 10;

    private final List<Point> points = new ArrayList<>();

    private record Point(long sessions, boolean warm, long heapKib, long residentKib) {}

    void measure(long sessions, double progress, double seconds) throws IOException {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        long heap = (runtime.totalMemory() - runtime.freeMemory()) >> 10;
        points.add(new Point(sessions, progress > WARM && seconds > WARM_SECONDS, heap, residentKib()));
    }

    static long residentKib() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/smaps_rollup")).stream()
                .filter(line -> line.startsWith("Anonymous:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElseThrow();
    }

    /// Whether there were enough rests after the warm-up to judge.
    boolean judged() {
        return points.stream().filter(Point::warm).count() >= 2 * POINTS;
    }

    /// What grew too much; empty if nothing did, or if it cannot be judged.
    List<String> growth() {
        List<Point> warm = points.stream().filter(Point::warm).toList();
        List<String> grown = new ArrayList<>();
        if (!judged()) {
            return grown;
        }
        long sessions = warm.getLast().sessions() - warm.getFirst().sessions();
        check("heap", warm, Point::heapKib, HEAP_KIB, sessions, grown);
        check("resident memory", warm, Point::residentKib, RESIDENT_KIB, sessions, grown);
        return grown;
    }

    private static void check(
            String what, List<Point> warm, ToLongFunction<Point> of, long most, long sessions, List<String> grown) {
        long growth = median(warm.subList(warm.size() - POINTS, warm.size()), of) - median(warm.subList(0, POINTS), of);
        String said = "%s grew by %,d KiB over %,d sessions (at most %,d)".formatted(what, growth, sessions, most);
        System.out.println("soak: " + said);
        if (growth > most) {
            grown.add(said);
        }
    }

    private static long median(List<Point> points, ToLongFunction<Point> of) {
        return points.stream().mapToLong(of).sorted().toArray()[points.size() / 2];
    }

    void print() {
        for (Point point : points) {
            System.out.printf(
                    "soak: at %,9d sessions: heap %,6d KiB, resident %,7d KiB%s%n",
                    point.sessions(), point.heapKib(), point.residentKib(), point.warm() ? "" : "  (warm-up)");
        }
    }
}
