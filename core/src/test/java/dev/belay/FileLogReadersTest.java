package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.ReadResult.Chunk;
import dev.belay.ReadResult.Gap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Many readers of one log.
class FileLogReadersTest {
    @TempDir
    Path folder;

    private FileLog log;

    @BeforeEach
    void make() {
        log = new FileLog(folder, "a", 256 << 10);
    }

    @AfterEach
    void leavesNothing() throws Exception {
        log.delete();
        assertThat(Folders.files(folder)).isEmpty();
        assertThat(Folders.descriptors(folder)).isZero();
    }

    private void append(int count, Outlet outlet) {
        log.append(Known.buffer(log.end(), count), outlet);
    }

    /// Reads up to an offset as fast as it can, and checks every byte.
    ///
    /// @return how many bytes were read and how many were in gaps
    private long[] follow(long until, int max) {
        long at = 0;
        long read = 0;
        long lost = 0;
        while (at < until) {
            switch (log.read(at, max, log.end())) {
                case Chunk chunk -> {
                    if (!Known.are(chunk.bytes(), at)) {
                        throw new AssertionError("wrong bytes at " + at);
                    }
                    read += chunk.bytes().length;
                    at = chunk.next();
                }
                case Gap gap -> {
                    if (gap.offset() != at || gap.lostBytes() <= 0 || gap.reason() != Gap.Reason.DROPPED) {
                        throw new AssertionError("odd gap " + gap + " at " + at);
                    }
                    lost += gap.lostBytes();
                    at = gap.next();
                }
                case ReadResult.End end -> throw new AssertionError(end);
            }
        }
        return new long[] {read, lost};
    }

    @Test
    void readersBesideAFloodGetEveryByteOrAnExactGap() throws Exception {
        long total = 24 << 20;
        List<Running<long[]>> readers = new ArrayList<>();
        for (int max : new int[] {1000, 64 << 10, 1 << 20}) {
            readers.add(Running.start(() -> follow(total, max)));
        }
        Random random = new Random(7);
        while (log.end() < total) {
            append((int) Math.min(total - log.end(), 1 + random.nextInt(64 << 10)), Known.outlet(random.nextInt(2)));
        }
        for (Running<long[]> reader : readers) {
            long[] counts = reader.result();
            assertThat(counts[0] + counts[1]).isEqualTo(total);
        }
    }

    @Test
    void anInterruptedReaderGetsItsBytesAndKeepsItsInterrupt() throws Exception {
        append(100_000, Outlet.STDOUT);
        Running<Boolean> reader = Running.start(() -> {
            Thread.currentThread().interrupt();
            for (int from = 0; from < 100_000; from += 10_000) {
                Chunk chunk = (Chunk) log.read(from, 100, log.end());
                assertThat(chunk.bytes()).isEqualTo(Known.bytes(from, 100));
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
            }
            return Thread.interrupted();
        });
        assertThat(reader.result()).isTrue();
        assertThat(((Chunk) log.read(5, 10, log.end())).bytes()).isEqualTo(Known.bytes(5, 10));
    }

    @Test
    void interruptsOfOneReaderDoNotReachTheOthersOrTheWriter() throws Exception {
        long total = 8 << 20;
        AtomicBoolean done = new AtomicBoolean();
        CountDownLatch reading = new CountDownLatch(1);
        Running<long[]> calm = Running.start(() -> follow(total, 10_000));
        Running<Long> troubled = Running.start(() -> {
            reading.countDown();
            long interrupts = 0;
            while (!done.get()) {
                long end = log.end();
                long from = Math.max(log.start(), end - 5000);
                if (log.read(from, 5000, end) instanceof Chunk chunk && !Known.are(chunk.bytes(), from)) {
                    throw new AssertionError("wrong bytes at " + from);
                }
                interrupts += Thread.interrupted() ? 1 : 0;
            }
            return interrupts;
        });
        reading.await();
        while (log.end() < total) {
            append(4096, Outlet.STDOUT);
            troubled.interrupt();
        }
        assertThat(calm.result()[0]).isPositive();
        done.set(true);
        assertThat(troubled.result()).isPositive();
        assertThat(log.unstored()).isZero();
    }

    @Test
    void aDeleteDuringReadsEndsInAGapAndLeaksNoDescriptor() throws Exception {
        for (int round = 0; round < 100; round++) {
            FileLog short1 = new FileLog(folder, "b" + round, 256 << 10);
            short1.append(Known.buffer(0, 100_000), Outlet.STDOUT);
            CountDownLatch reading = new CountDownLatch(2);
            List<Running<ReadResult>> readers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                readers.add(Running.start(() -> {
                    reading.countDown();
                    while (true) {
                        ReadResult result = short1.read(0, 100, short1.end());
                        if (!(result instanceof Chunk)) {
                            return result;
                        }
                    }
                }));
            }
            reading.await();
            short1.delete();
            for (Running<ReadResult> reader : readers) {
                assertThat(reader.result()).isEqualTo(new Gap(0, 100_000, Gap.Reason.DROPPED));
            }
        }
        assertThat(Folders.descriptors(folder)).isZero();
        append(1, Outlet.STDOUT);
    }
}
