package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Limits;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.ServerSettings.ViewerLimits;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/// Viewers that have stopped reading, during a flood that is larger than what the kernel takes for them.
class StalledViewersTest extends WithServer {
    private static final int STALLED = 8;
    private static final int FLOOD_BYTES = 32_000_000;
    private static final long MOST_BYTES_EACH = 1 << 20;

    @Override
    ServerSettings settings() {
        ViewerLimits standard = ViewerLimits.DEFAULT;
        return super.settings().viewers(new ViewerLimits(
                standard.windowBytes(), standard.frameBytes(), Duration.ofMinutes(10), standard.perSession()));
    }

    /// So that nobody who reads gets a gap, however slow the machine is.
    @Override
    Limits limits() {
        return super.limits().logBytes(2L * FLOOD_BYTES);
    }

    @Test
    void theyCostABoundedAmountOfMemoryAndTheOthersGetEveryByte() throws Exception {
        String id = api.open(ALICE, "stty raw -echo; echo up; read x; yes 0123456789abcde | head -c " + FLOOD_BYTES
                + "; read y");
        List<Raw> stalled = new ArrayList<>();
        try (var readers = Executors.newVirtualThreadPerTaskExecutor();
                Socket one = Socket.attach(http, server.address(), ALICE, id, "?from=0");
                Socket two = Socket.attach(http, server.address(), ADMIN, id, "?from=0")) {
            for (int i = 0; i < STALLED; i++) {
                stalled.add(stall(id));
            }
            one.until("up\n");
            two.until("up\n");
            while (server.viewers().list().size() < STALLED + 2) {
                LockSupport.parkNanos(1_000_000);
            }
            long before = memory();
            one.type("go\n");
            var first = CompletableFuture.supplyAsync(() -> flood(one), readers);
            var second = CompletableFuture.supplyAsync(() -> flood(two), readers);
            assertThat(first.get()).isEqualTo(expected()).isEqualTo(second.get());
            assertThat(memory() - before).isLessThan(STALLED * MOST_BYTES_EACH);
            assertThat(server.viewers().list()).filteredOn(viewer -> viewer.lag() > 0)
                    .as("what they have not taken is in the log").hasSize(STALLED);
        } finally {
            for (Raw raw : stalled) {
                raw.close();
            }
        }
    }

    /// A viewer that reads nothing but that it is one.
    private Raw stall(String id) throws Exception {
        Raw raw = new Raw(server.port());
        raw.request("GET /api/sessions/" + id + "/attach?from=0 HTTP/1.1", "Host: 127.0.0.1:" + server.port(),
                "Authorization: Bearer " + ALICE, "Connection: Upgrade", "Upgrade: websocket",
                "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
        assertThat(raw.status()).isEqualTo(101);
        return raw;
    }

    private static long expected() {
        CRC32 sum = new CRC32();
        byte[] line = "0123456789abcde\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        for (int i = 0; i < FLOOD_BYTES / line.length; i++) {
            sum.update(line);
        }
        return sum.getValue();
    }

    /// The checksum of a flood that came whole and in order.
    private static long flood(Socket viewer) {
        try {
            CRC32 sum = new CRC32();
            long at = -1;
            int left = FLOOD_BYTES;
            while (left > 0) {
                Socket.Message message = viewer.next();
                assertThat(message.kind()).as("output, not a gap").isNotEqualTo(2);
                if (message.kind() == 1) {
                    ByteBuffer body = message.body();
                    long offset = body.getLong();
                    assertThat(at < 0 || offset == at).as("nothing left out").isTrue();
                    at = offset + body.remaining();
                    ByteBuffer flood = body.slice(body.position(), Math.min(left, body.remaining()));
                    left -= flood.remaining();
                    sum.update(flood);
                }
            }
            return sum.getValue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /// What is in use of the heap, and of buffers outside of it.
    private static long memory() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed()
                + ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum();
    }
}
