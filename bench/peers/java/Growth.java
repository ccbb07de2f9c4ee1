import dev.belay.Cursor;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Size;
import dev.belay.Until;
import java.time.Duration;
import java.util.concurrent.Callable;

/// Measures the cost of Belay's calls by the number of open sessions. Medians in microseconds.
record Growth(Sessions sessions, Work work) {
    private static final int TIMES = 100;
    private static final int WARM_SPAWNS = 500;
    private static final Duration LONG = Duration.ofSeconds(30);

    void run() throws Exception {
        for (int i = 0; i < WARM_SPAWNS; i++) {
            work.runTrue();
        }
        sessions.closeAll();
        SessionSpec sleeper = SessionSpec.of("/bin/sleep", "1000");
        for (int i = 1; i < work.size(); i++) {
            sessions.open(sleeper);
        }
        Session echo = sessions.open(SessionSpec.of(work.child(), "raw", "cat"));
        Cursor cursor = echo.cursor();
        cursor.await(Until.match("ready\n"), LONG);
        cursor.moveTo(echo.output().end());
        Bench.print("growth.threads", Idle.status("/proc/self/status", "Threads:"), "threads");
        print("growth.wait", () -> {
            echo.write("x");
            cursor.await(Until.match("x"), LONG);
            cursor.drain(1);
            return null;
        });
        print("growth.turn", () -> {
            echo.resize(Size.DEFAULT);
            return null;
        });
        print("growth.list", sessions::list);
        Bench.Samples opens = new Bench.Samples();
        Bench.Samples closes = new Bench.Samples();
        for (int i = 0; i < TIMES; i++) {
            long before = System.nanoTime();
            Session session = sessions.open(sleeper);
            long opened = System.nanoTime();
            session.close();
            opens.add(opened - before);
            closes.add(System.nanoTime() - opened);
        }
        Bench.print("growth.open", opens.at(0.5), "us");
        Bench.print("growth.close", closes.at(0.5), "us");
    }

    private static void print(String name, Callable<?> call) throws Exception {
        Bench.Samples samples = new Bench.Samples();
        for (int i = 0; i < TIMES * 10; i++) {
            long before = System.nanoTime();
            call.call();
            long took = System.nanoTime() - before;
            if (i >= TIMES * 2) {
                samples.add(took);
            }
        }
        Bench.print(name, samples.at(0.5), "us");
    }
}
