package dev.belay;

import dev.belay.host.Host;
import dev.belay.host.HostProcess;
import dev.belay.host.Launch;
import dev.belay.host.ProcessListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// Measures what Belay itself does with a byte: append it to the log, read it back, search it for a match. Without
/// processes.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class Pieces {
    private static final int READ_BYTES = 4 << 10;
    private static final int LINES = 2000;

    private Path folder;
    private FileLog log;
    private final ByteBuffer read = ByteBuffer.allocateDirect(READ_BYTES);
    private long at;

    /// Size of each append and read: as much as one read of a terminal returns.
    @Setup
    public void open() throws IOException {
        folder = Files.createTempDirectory(Path.of(System.getProperty("bench.state")), "pieces");
        log = new FileLog(folder, "log", 8 << 20);
        log.append(read.clear(), Outlet.STDOUT);
    }

    @TearDown
    public void close() throws IOException {
        log.delete();
        Files.delete(folder);
    }

    @Benchmark
    public long append() {
        log.append(read.clear(), Outlet.STDOUT);
        return log.end();
    }

    @Benchmark
    public ReadResult read() {
        ReadResult result = log.read(at, READ_BYTES, log.end());
        at = result.next() % READ_BYTES;
        return result;
    }

    /// A session that has printed some lines. A search sees each of them separately.
    @State(Scope.Thread)
    public static class Printed {
        /// A word, and an expression without a fixed word that would make the search fast.
        @Param({"never", "(?i)(error|failed) in [0-9]+ files?$"})
        String expression;

        private Path state;
        private Sessions sessions;
        private Session session;

        @Setup
        public void print() throws IOException {
            state = Files.createTempDirectory(Path.of(System.getProperty("bench.state")), "printed");
            Printer printer = new Printer();
            sessions = Sessions.builder(printer).state(state).build();
            session = sessions.open(SessionSpec.of("printer").pipe());
            byte[] line = "[INFO] Compiling 12 source files with javac to a folder of some project or other\n"
                    .getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < LINES; i++) {
                // Alternating, because a read returns bytes of one outlet.
                printer.listener.output(
                        ByteBuffer.allocateDirect(line.length).put(line).flip(),
                        i % 2 == 0 ? Outlet.STDOUT : Outlet.STDERR);
            }
            printer.listener.exited(new ExitStatus.Exited(0), false);
        }

        @TearDown
        public void close() throws IOException {
            sessions.close();
            try (var left = Files.walk(state)) {
                left.sorted(java.util.Comparator.reverseOrder()).forEach(path -> {
                    try {
                        Files.delete(path);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
            }
        }
    }

    /// A line of 81 bytes that does not match.
    @Benchmark
    @OperationsPerInvocation(LINES)
    public Waited match(Printed printed) throws InterruptedException {
        return printed.session.cursor(0).await(Until.match(printed.expression), Duration.ofMinutes(1));
    }

    /// A host whose single process prints what it is told to.
    private static final class Printer implements Host, HostProcess {
        private ProcessListener listener;

        @Override
        public Path workspace() {
            return Path.of("/");
        }

        @Override
        public HostProcess spawn(Launch launch) {
            return this;
        }

        @Override
        public void start(ProcessListener hears) {
            listener = hears;
        }

        @Override
        public long pid() {
            return 1;
        }

        @Override
        public String workdir() {
            return ".";
        }

        @Override
        public int write(ByteBuffer bytes, Duration timeout, BooleanSupplier allowed) {
            return -1;
        }

        @Override
        public void recallWrites() {}

        @Override
        public void closeInput() {}

        @Override
        public boolean resize(Size size) {
            return false;
        }

        @Override
        public boolean signal(Signal signal) {
            return false;
        }

        @Override
        public InputState inputState() {
            return InputState.NOBODY;
        }

        @Override
        public void resume() {}

        @Override
        public int survivors() {
            return 0;
        }

        @Override
        public Ended end(Duration grace) {
            return new Ended(0, 0, List.of());
        }

        @Override
        public void close() {}
    }
}
