package dev.belay.cli;

import dev.belay.access.Capacity;
import dev.belay.linux.Machine;
import java.io.File;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// How many sessions this machine has room for, by its terminals, open files and memory. Includes what running sessions
/// already use. Asks the kernel at most once a second. Thread-safe.
final class MachineCapacity implements Supplier<Capacity> {
    /// Both ends of the terminal, the leader, the newest file of the log, a reader of it, and a viewer's connection.
    private static final int FILES_OF_SESSION = 6;
    private static final long MEMORY_OF_SESSION = 8L << 20;
    private static final long MEMORY_TO_SPARE = 256L << 20;
    private static final long FRESH_NANOS = 1_000_000_000;

    private final IntSupplier running;
    private @Nullable Capacity last;
    private long lookedNanos;

    /// @param running how many sessions there are now
    MachineCapacity(IntSupplier running) {
        this.running = running;
    }

    @Override
    public synchronized Capacity get() {
        long now = System.nanoTime();
        Capacity known = last;
        if (known == null || now - lookedNanos > FRESH_NANOS) {
            known = look(running.getAsInt());
            last = known;
            lookedNanos = now;
        }
        return known;
    }

    private static Capacity look(int used) {
        Capacity room = Capacity.UNKNOWN;
        var files = Machine.limit("Max open files");
        if (files.isPresent() && files.get().soft() != Machine.Limit.UNLIMITED) {
            long free = Math.max(0, files.get().soft() - openFiles()) / FILES_OF_SESSION;
            room = narrower(room, free + used, "open files (" + files.get().soft() + " allowed)");
        }
        var memory = Machine.memory();
        if (memory.isPresent()) {
            long free = Math.max(0, memory.get().availableBytes() - MEMORY_TO_SPARE) / MEMORY_OF_SESSION;
            room = narrower(room, free + used, "memory (" + (memory.get().availableBytes() >> 20) + " MiB available)");
        }
        var terminals = Machine.terminals();
        if (terminals.isPresent()) {
            Machine.Terminals all = terminals.get();
            long free = Math.max(0, all.max() - all.reserved() - all.inUse());
            room = narrower(room, free + used, "terminals (" + all.max() + " on this machine)");
            room = new Capacity(room.sessions(), room.reason(), all.inUse(), all.max());
        }
        return room;
    }

    private static Capacity narrower(Capacity room, long sessions, String why) {
        boolean first = room.reason().equals(Capacity.UNKNOWN.reason());
        return first || sessions < room.sessions()
                ? room.sessions((int) Math.min(Integer.MAX_VALUE, sessions), why)
                : room;
    }

    /// How many files Belay itself has open.
    static int openFiles() {
        File folder = new File("/proc/self/fd");
        // Since Linux 6.2, the folder's size is their number. Listing thousands takes milliseconds.
        long count = folder.length();
        if (count > 0) {
            return (int) count;
        }
        String[] files = folder.list();
        return files == null ? 0 : files.length;
    }
}
