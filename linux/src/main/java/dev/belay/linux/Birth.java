package dev.belay.linux;

import dev.belay.SessionException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/// A spawn whose child is born with its [Tag], because this process itself carries the tag when it forks.
///
/// A process carries one tag at a time, so births in one JVM follow one another, whichever host they belong to. The C
/// library returns from a spawn when the child has become its program, which takes long on a busy machine. The next
/// birth does not wait for that: it begins as soon as the child is seen with its tag. Belongs to one thread.
final class Birth {
    private static final long SELF = ProcessHandle.current().pid();
    /// How many of a thread's children are looked at. The kernel lists the newest last.
    private static final int NEWEST = 4;
    private static final int RESTORE_TRIES = 3;
    private static final long POLL_NANOS = 20_000;

    /// Held by the one whose turn is next.
    private static final ReentrantLock NEXT = new ReentrantLock();
    /// Guards the limit of this process, and changes of the two below.
    private static final ReentrantLock LIMIT = new ReentrantLock();
    /// Whose tag this process carries.
    private static volatile @Nullable Birth current;
    /// The soft limit that this process has when it carries no tag.
    private static long own;

    private final Libc libc;
    private final Arena arena;
    private final long tag;
    private final MemorySegment limit;
    /// The thread that spawns, as the kernel numbers it; 0 before it does.
    private volatile int thread;

    Birth(Libc libc, Arena arena, long tag) {
        this.libc = libc;
        this.arena = arena;
        this.tag = tag;
        this.limit = arena.allocate(ValueLayout.JAVA_LONG, 2);
    }

    /// Runs the spawn. Whatever else this process forks meanwhile is born with the tag too. If the hard limit is lower
    /// than a tag, the child has none.
    int run(IntSupplier spawn) {
        begin();
        try {
            thread = libc.gettid();
            return spawn.getAsInt();
        } finally {
            end();
        }
    }

    private void begin() {
        NEXT.lock();
        try {
            Birth before = current;
            ProcFile files = before == null ? null : new ProcFile(libc, arena);
            while (before != null && files != null && !born(before, files)) {
                // There is no event for a birth; it is a matter of microseconds.
                LockSupport.parkNanos(POLL_NANOS);
                before = current;
            }
            LIMIT.lock();
            try {
                carry();
            } finally {
                LIMIT.unlock();
            }
        } finally {
            NEXT.unlock();
        }
    }

    /// Whether the child of another birth is there, which proves that it has its tag.
    private boolean born(Birth other, ProcFile files) {
        try {
            String children = other.thread == 0 ? null : files.text(SELF, "task/" + other.thread + "/children");
            String[] pids = children == null ? new String[0] : children.strip().split(" ");
            for (int i = Math.max(0, pids.length - NEWEST); i < pids.length; i++) {
                if (!pids[i].isEmpty()
                        && libc.prlimit(Long.parseLong(pids[i]), Abi.RLIMIT_LOCKS, MemorySegment.NULL, limit) == 0
                        && limit.get(ValueLayout.JAVA_LONG, 0) == other.tag) {
                    return true;
                }
            }
        } catch (SessionException _) {
            // No descriptor to look with: then its end is waited for.
        }
        return false;
    }

    private void carry() {
        if (libc.prlimit(0, Abi.RLIMIT_LOCKS, MemorySegment.NULL, limit) == 0) {
            own = current == null ? limit.get(ValueLayout.JAVA_LONG, 0) : own;
            current = this;
            limit.set(ValueLayout.JAVA_LONG, 0, tag);
            if (libc.prlimit(0, Abi.RLIMIT_LOCKS, limit, MemorySegment.NULL) < 0) {
                // Rather none than another's.
                putDown();
            }
        } else if (current != null) {
            putDown();
        }
    }

    private void end() {
        LIMIT.lock();
        try {
            if (current == this) {
                putDown();
            }
        } finally {
            LIMIT.unlock();
        }
    }

    private void putDown() {
        int result = -1;
        // No kernel refuses a limit that was there before. One that did would have all children be the session's.
        for (int i = 0; result < 0 && i < RESTORE_TRIES; i++) {
            libc.prlimit(0, Abi.RLIMIT_LOCKS, MemorySegment.NULL, limit);
            limit.set(ValueLayout.JAVA_LONG, 0, own);
            result = libc.prlimit(0, Abi.RLIMIT_LOCKS, limit, MemorySegment.NULL);
        }
        current = null;
    }
}
