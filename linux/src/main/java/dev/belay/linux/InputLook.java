package dev.belay.linux;

import dev.belay.InputState;
import dev.belay.SessionException;
import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One look at what the threads of a process group are blocked in: does one of them wait for input?
///
/// The kernel shows the blocking call and the descriptors it waits for to anyone who may trace the process. Belay may
/// trace its own children. An instance is for one look, on the caller's thread. The bounds keep a look to a few
/// milliseconds, however many threads and descriptors a program has.
final class InputLook {
    private static final int MAX_THREADS = 256;
    private static final int MAX_FDS = 256;
    private static final int MEMORY_BYTES = MAX_FDS * Abi.POLLFD_BYTES;

    /// What was seen, from the weakest to the strongest evidence.
    enum Seen {
        /// No thread waits for input.
        NOBODY,
        /// A thread may not be looked at, or waits for input among other things.
        UNCLEAR,
        /// A thread waits in an `epoll` that contains the input, perhaps among others.
        WATCHED,
        /// A thread waits for input and nothing else.
        BLOCKED;

        Seen or(Seen other) {
            return compareTo(other) >= 0 ? this : other;
        }

        /// Programs that draw their own input set raw mode. In raw mode, one that watches its terminal waits for keys,
        /// and one that does something else may be about to.
        InputState in(int modes) {
            boolean raw = (modes & Abi.ICANON) == 0;
            Boolean waiting = switch (this) {
                case BLOCKED -> Boolean.TRUE;
                case WATCHED -> raw ? Boolean.TRUE : null;
                case UNCLEAR -> null;
                case NOBODY -> raw ? null : Boolean.FALSE;
            };
            return new InputState(waiting, !raw && (modes & Abi.ECHO) == 0);
        }
    }

    private final Libc libc;
    private final ProcFile files;
    private final Abi.Calls calls = Abi.current().calls();
    private final MemorySegment path;
    private final MemorySegment statx;
    private final MemorySegment memory;
    private final MemorySegment local;
    private final MemorySegment remote;
    private long inputDevice;
    private long inputNumber;

    InputLook(Libc libc, Arena arena) {
        this.libc = libc;
        this.files = new ProcFile(libc, arena);
        this.path = arena.allocate(64);
        this.statx = arena.allocate(Abi.STATX_BYTES, 8);
        this.memory = arena.allocate(MEMORY_BYTES, 8);
        this.local = arena.allocate(Abi.IOVEC_BYTES, 8);
        this.remote = arena.allocate(Abi.IOVEC_BYTES, 8);
    }

    /// Sets the input: the file behind a descriptor of ours.
    ///
    /// @return 0, or the negated error number
    int at(int fd) {
        path.setString(0, "");
        int result = libc.statx(fd, path, Abi.AT_EMPTY_PATH, Abi.STATX_INO, statx);
        inputDevice = statx.get(ValueLayout.JAVA_LONG, Abi.STATX_DEV_OFFSET);
        inputNumber = statx.get(ValueLayout.JAVA_LONG, Abi.STATX_INO_OFFSET);
        return result;
    }

    Seen group(long group) {
        try {
            return threads(group);
        } catch (SessionException _) {
            // /proc cannot be read, for example without free descriptors.
            return Seen.UNCLEAR;
        }
    }

    private Seen threads(long group) {
        Seen seen = Seen.NOBODY;
        boolean found = false;
        int left = MAX_THREADS;
        for (ProcFile.Listed listed : files.processes()) {
            long pid = listed.pid();
            // One system call per process is much cheaper than reading a file of each.
            if (libc.getpgid(pid) != group) {
                continue;
            }
            found = true;
            String[] threads = new File("/proc/" + pid + "/task").list();
            seen = threads == null ? seen.or(unseen(pid)) : seen;
            for (int i = 0; threads != null && i < threads.length; i++) {
                if (left-- == 0) {
                    return seen.or(Seen.UNCLEAR);
                }
                seen = seen.or(thread(Long.parseLong(threads[i])));
                if (seen == Seen.BLOCKED) {
                    return seen;
                }
            }
        }
        // /proc may hide processes of other users.
        boolean hidden = !found && group > 1 && libc.kill(-group, 0) != -Errno.ESRCH;
        return hidden ? Seen.UNCLEAR : seen;
    }

    /// The result for a thread that may not be looked at. Anyone may see whether it sleeps. If it does not, it waits
    /// for nothing: it is another user's and running, or dying (which makes its files root's), or gone.
    private Seen unseen(long tid) {
        return sleeps(tid) ? Seen.UNCLEAR : Seen.NOBODY;
    }

    private Seen thread(long tid) {
        String line = files.text(tid, "syscall");
        if (line == null) {
            return unseen(tid);
        }
        BlockedCall call = BlockedCall.parse(line);
        Seen seen = call == null ? Seen.NOBODY : in(tid, call);
        // A stopped thread still shows the call that it was stopped in, and a thread that moved on meanwhile was seen
        // half in one call and half in another.
        boolean stays = seen != Seen.NOBODY && sleeps(tid) && line.equals(files.text(tid, "syscall"));
        return stays ? seen : Seen.NOBODY;
    }

    private boolean sleeps(long tid) {
        String stat = files.text(tid, "stat");
        return stat != null && stat.startsWith(") S ", stat.lastIndexOf(')'));
    }

    private Seen in(long tid, BlockedCall call) {
        int number = call.number();
        if (call.narrow() || number == Abi.SYS_IO_URING_ENTER || number == calls.restart()) {
            return Seen.UNCLEAR;
        }
        if (number == calls.read() || number == calls.readv() || number == calls.splice()) {
            return isInput(tid, call.number(0)) ? Seen.BLOCKED : Seen.NOBODY;
        }
        if (number == calls.select() || number == calls.pselect6()) {
            return among(tid, selected(tid, call.number(0), call.address(1)));
        }
        if (number == calls.poll() || number == calls.ppoll()) {
            return among(tid, polled(tid, call.address(0), call.number(1)));
        }
        if (number == calls.epollWait() || number == calls.epollPwait() || number == Abi.SYS_EPOLL_PWAIT2) {
            return epoll(tid, call.number(0));
        }
        return Seen.NOBODY;
    }

    private Seen among(long tid, @Nullable List<Integer> fds) {
        if (fds == null || fds.size() > MAX_FDS) {
            return Seen.UNCLEAR;
        }
        long inputs = fds.stream().filter(fd -> isInput(tid, fd)).count();
        return inputs == 0 ? Seen.NOBODY : inputs == fds.size() ? Seen.BLOCKED : Seen.UNCLEAR;
    }

    /// The descriptors of an `fd_set` in a thread's memory; null if it cannot be read.
    private @Nullable List<Integer> selected(long tid, int count, long address) {
        if (address == 0) {
            return List.of();
        }
        long words = (count + Long.SIZE - 1L) / Long.SIZE;
        if (!copy(tid, address, words * Long.BYTES)) {
            return null;
        }
        List<Integer> fds = new ArrayList<>();
        for (int fd = 0; fd < count; fd++) {
            long word = memory.getAtIndex(ValueLayout.JAVA_LONG, fd / Long.SIZE);
            if ((word >>> fd & 1) != 0) {
                fds.add(fd);
            }
        }
        return fds;
    }

    /// The descriptors polled for reading in an array of `pollfd`; null if it cannot be read.
    private @Nullable List<Integer> polled(long tid, long address, int count) {
        if (!copy(tid, address, count * (long) Abi.POLLFD_BYTES)) {
            return null;
        }
        List<Integer> fds = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long at = i * (long) Abi.POLLFD_BYTES;
            int fd = memory.get(ValueLayout.JAVA_INT, at);
            // The kernel skips negative descriptors.
            if (fd >= 0 && (memory.get(ValueLayout.JAVA_SHORT, at + Abi.POLLFD_EVENTS) & Abi.POLLIN) != 0) {
                fds.add(fd);
            }
        }
        return fds;
    }

    /// Copies a thread's memory into ours.
    private boolean copy(long tid, long address, long bytes) {
        if (bytes == 0) {
            return true;
        }
        if (bytes < 0 || bytes > MEMORY_BYTES) {
            return false;
        }
        local.setAtIndex(ValueLayout.JAVA_LONG, 0, memory.address());
        local.setAtIndex(ValueLayout.JAVA_LONG, 1, bytes);
        remote.setAtIndex(ValueLayout.JAVA_LONG, 0, address);
        remote.setAtIndex(ValueLayout.JAVA_LONG, 1, bytes);
        return libc.processVmRead(tid, local, remote) == bytes;
    }

    private Seen epoll(long tid, int epoll) {
        String info = files.text(tid, "fdinfo/" + epoll);
        if (info == null) {
            return Seen.UNCLEAR;
        }
        List<Integer> fds = new ArrayList<>();
        for (String line : info.split("\n", -1)) {
            // tfd: 5 events: 19 data: ...
            String[] words = line.split("[: ]+", -1);
            if (words[0].equals("tfd") && (Long.parseLong(words[3], 16) & Abi.EPOLLIN) != 0) {
                fds.add(Integer.parseInt(words[1]));
            }
        }
        boolean watched = fds.stream().limit(MAX_FDS).anyMatch(fd -> isInput(tid, fd));
        return watched ? Seen.WATCHED : fds.size() > MAX_FDS ? Seen.UNCLEAR : Seen.NOBODY;
    }

    /// Whether a thread's descriptor leads to the input, by whatever path it was opened.
    private boolean isInput(long tid, int fd) {
        path.setString(0, "/proc/" + tid + "/fd/" + fd);
        // Cached attributes are enough; asking for fresh ones could hang on a network file system.
        if (libc.statx(Abi.AT_FDCWD, path, Abi.AT_STATX_DONT_SYNC, Abi.STATX_INO, statx) < 0) {
            return false;
        }
        // For a foreground process, /dev/tty is its terminal.
        boolean devTty = statx.get(ValueLayout.JAVA_INT, Abi.STATX_RDEV_OFFSET) == Abi.TTYAUX_MAJOR
                && statx.get(ValueLayout.JAVA_INT, Abi.STATX_RDEV_OFFSET + 4) == 0;
        return devTty
                || (statx.get(ValueLayout.JAVA_LONG, Abi.STATX_DEV_OFFSET) == inputDevice
                        && statx.get(ValueLayout.JAVA_LONG, Abi.STATX_INO_OFFSET) == inputNumber);
    }
}
