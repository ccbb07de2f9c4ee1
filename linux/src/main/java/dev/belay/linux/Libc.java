package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/// The C library, with errno captured on each call that can fail.
///
/// An instance belongs to one thread or one operation and lives as long as its arena, which holds the memory for errno.
/// Calls that can fail return the negated error number, as the kernel does. Calls interrupted by a signal are repeated,
/// so callers never see EINTR.
///
/// All functions are called through one handle with one shape, seven words in and one out: the JVM generates code for
/// each shape and each handle, which took most of the cold start. The calling conventions of both processors allow it:
/// a function ignores words that it does not take, and an `int` is the low half of a word.
final class Libc {
    private static final Linker LINKER = Linker.nativeLinker();
    static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    /// Where errno is in that: asking the layout would make the JVM generate code first.
    static final long ERRNO = 0;
    private static final FunctionDescriptor SHAPE = FunctionDescriptor.of(
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG);
    private static final MethodHandle CALL = LINKER.downcallHandle(SHAPE, Linker.Option.captureCallState("errno"));

    private static final MemorySegment SYSCALL = find("syscall");
    private static final MemorySegment READ = find("read");
    private static final MemorySegment WRITE = find("write");
    private static final MemorySegment CLOSE = find("close");
    private static final MemorySegment OPEN = find("open");
    private static final MemorySegment IOCTL = find("ioctl");
    private static final MemorySegment FCNTL = find("fcntl");
    private static final MemorySegment PIPE2 = find("pipe2");
    private static final MemorySegment READLINK = find("readlink");
    private static final MemorySegment FCHOWN = find("fchown");
    private static final MemorySegment FLOCK = find("flock");
    private static final MemorySegment MKDIRAT = find("mkdirat");
    private static final MemorySegment UNLINKAT = find("unlinkat");
    private static final MemorySegment RENAMEAT = find("renameat");
    private static final MemorySegment READLINKAT = find("readlinkat");
    private static final MemorySegment UTIMENSAT = find("utimensat");
    private static final MemorySegment FACCESSAT = find("faccessat");
    private static final MemorySegment STATX = find("statx");
    private static final MemorySegment GETDENTS = find("getdents64");
    private static final MemorySegment EPOLL_CREATE1 = find("epoll_create1");
    private static final MemorySegment EPOLL_CTL = find("epoll_ctl");
    private static final MemorySegment EPOLL_WAIT = find("epoll_wait");
    private static final MemorySegment EVENTFD = find("eventfd");
    private static final MemorySegment WAITID = find("waitid");
    private static final MemorySegment KILL = find("kill");
    private static final MemorySegment GETPGID = find("getpgid");
    private static final MemorySegment GETTID = find("gettid");
    private static final MemorySegment GETEUID = find("geteuid");
    private static final MemorySegment PRLIMIT = find("prlimit");
    private static final MemorySegment PRCTL = find("prctl");
    private static final MemorySegment PROCESS_VM_READV = find("process_vm_readv");
    private static final MemorySegment SPAWN = find("posix_spawn");
    private static final MemorySegment ATTR_INIT = find("posix_spawnattr_init");
    private static final MemorySegment ATTR_DESTROY = find("posix_spawnattr_destroy");
    private static final MemorySegment ATTR_SETFLAGS = find("posix_spawnattr_setflags");
    private static final MemorySegment ATTR_SETSIGDEFAULT = find("posix_spawnattr_setsigdefault");
    private static final MemorySegment ATTR_SETSIGMASK = find("posix_spawnattr_setsigmask");
    private static final MemorySegment ACTIONS_INIT = find("posix_spawn_file_actions_init");
    private static final MemorySegment ACTIONS_DESTROY = find("posix_spawn_file_actions_destroy");
    private static final MemorySegment ACTIONS_OPEN = find("posix_spawn_file_actions_addopen");
    private static final MemorySegment ACTIONS_DUP2 = find("posix_spawn_file_actions_adddup2");
    private static final MemorySegment ACTIONS_FCHDIR = find("posix_spawn_file_actions_addfchdir_np");
    private static final MemorySegment ACTIONS_CLOSEFROM = find("posix_spawn_file_actions_addclosefrom_np");

    private static final int WAIT_TRIES = 10;

    /// Set by tests to make calls fail; null otherwise, which costs one field read per call.
    static volatile @Nullable Faults faults;

    interface Faults {
        /// Makes a call, or fails it.
        ///
        /// @param first  the first argument
        /// @param second the second argument
        /// @param call   makes the real call
        /// @return the result of the real call, or a negated error number instead
        int call(long first, long second, IntSupplier call);
    }

    private final MemorySegment state;

    Libc(Arena arena) {
        state = arena.allocate(STATE);
    }

    static MemorySegment find(String name) {
        return LINKER.defaultLookup()
                .find(name)
                .orElseThrow(() -> new SessionException(
                        ErrorCode.UNAVAILABLE,
                        "The C library has no function " + name + "; Belay needs the GNU C library 2.34 or newer."));
    }

    long call(MemorySegment function, long a, long b, long c, long d, long e, long f, long g) {
        try {
            return (long) CALL.invokeExact(function, state, a, b, c, d, e, f, g);
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw new AssertionError("a native call throws nothing", impossible);
        }
    }

    /// For functions that return an `int` and set errno.
    private int callInt(MemorySegment function, long a, long b, long c, long d, long e, long f) {
        int result = callOnce(function, a, b, c, d, e, f);
        while (result == -Errno.EINTR) {
            result = callOnce(function, a, b, c, d, e, f);
        }
        return result;
    }

    private int callOnce(MemorySegment function, long a, long b, long c, long d, long e, long f) {
        Faults now = faults;
        return now == null
                ? callNow(function, a, b, c, d, e, f)
                : now.call(a, b, () -> callNow(function, a, b, c, d, e, f));
    }

    private int callNow(MemorySegment function, long a, long b, long c, long d, long e, long f) {
        int result = (int) call(function, a, b, c, d, e, f, 0);
        return result == -1 ? -errno() : result;
    }

    /// For functions that return the error number.
    private int callSpawn(MemorySegment function, long a, long b, long c, long d, long e, long f) {
        int result = callSpawnOnce(function, a, b, c, d, e, f);
        while (result == -Errno.EINTR) {
            result = callSpawnOnce(function, a, b, c, d, e, f);
        }
        return result;
    }

    private int callSpawnOnce(MemorySegment function, long a, long b, long c, long d, long e, long f) {
        Faults now = faults;
        return now == null
                ? -(int) call(function, a, b, c, d, e, f, 0)
                : now.call(a, b, () -> -(int) call(function, a, b, c, d, e, f, 0));
    }

    private int errno() {
        return state.get(ValueLayout.JAVA_INT, ERRNO);
    }

    // --- files ---

    int read(int fd, MemorySegment into, long count) {
        return callInt(READ, fd, into.address(), count, 0, 0, 0);
    }

    int write(int fd, MemorySegment from, long count) {
        return callInt(WRITE, fd, from.address(), count, 0, 0, 0);
    }

    /// Never repeated: Linux frees the number even if it reports an error.
    int close(int fd) {
        return callOnce(CLOSE, fd, 0, 0, 0, 0, 0);
    }

    int open(MemorySegment path, int flags) {
        return callInt(OPEN, path.address(), flags, 0, 0, 0, 0);
    }

    int openat2(int folder, MemorySegment path, MemorySegment how, long howBytes) {
        return callInt(SYSCALL, Abi.SYS_OPENAT2, folder, path.address(), how.address(), howBytes, 0);
    }

    int pipe2(MemorySegment fds, int flags) {
        return callInt(PIPE2, fds.address(), flags, 0, 0, 0, 0);
    }

    int fcntl(int fd, int command, long value) {
        return callInt(FCNTL, fd, command, value, 0, 0, 0);
    }

    int readlink(MemorySegment path, MemorySegment into, long bytes) {
        return callInt(READLINK, path.address(), into.address(), bytes, 0, 0, 0);
    }

    int fchown(int fd, int uid, int gid) {
        return callInt(FCHOWN, fd, uid, gid, 0, 0, 0);
    }

    int flock(int fd, int operation) {
        return callInt(FLOCK, fd, operation, 0, 0, 0, 0);
    }

    int mkdirat(int folder, MemorySegment name, int mode) {
        return callInt(MKDIRAT, folder, name.address(), mode, 0, 0, 0);
    }

    int unlinkat(int folder, MemorySegment name, int flags) {
        return callInt(UNLINKAT, folder, name.address(), flags, 0, 0, 0);
    }

    int renameat(int fromFolder, MemorySegment from, int toFolder, MemorySegment to) {
        return callInt(RENAMEAT, fromFolder, from.address(), toFolder, to.address(), 0, 0);
    }

    int readlinkat(int folder, MemorySegment name, MemorySegment into, long bytes) {
        return callInt(READLINKAT, folder, name.address(), into.address(), bytes, 0, 0);
    }

    /// @param times two `timespec`: of the last access, of the last change
    int utimensat(int folder, MemorySegment name, MemorySegment times, int flags) {
        return callInt(UTIMENSAT, folder, name.address(), times.address(), flags, 0, 0);
    }

    int faccessat(int folder, MemorySegment path, int mode) {
        return callInt(FACCESSAT, folder, path.address(), mode, 0, 0, 0);
    }

    int statx(int folder, MemorySegment path, int flags, int mask, MemorySegment into) {
        return callInt(STATX, folder, path.address(), flags, mask, into.address(), 0);
    }

    int getdents(int folder, MemorySegment into, long bytes) {
        return callInt(GETDENTS, folder, into.address(), bytes, 0, 0, 0);
    }

    int ioctl(int fd, int request, MemorySegment argument) {
        return ioctl(fd, request, argument.address());
    }

    int ioctl(int fd, int request, long argument) {
        return callInt(IOCTL, fd, Integer.toUnsignedLong(request), argument, 0, 0, 0);
    }

    // --- waiting ---

    int epollCreate() {
        return callInt(EPOLL_CREATE1, Abi.EPOLL_CLOEXEC, 0, 0, 0, 0, 0);
    }

    int epollCtl(int epoll, int operation, int fd, MemorySegment event) {
        return callInt(EPOLL_CTL, epoll, operation, fd, event.address(), 0, 0);
    }

    int epollWait(int epoll, MemorySegment events, int count, int timeoutMillis) {
        return callInt(EPOLL_WAIT, epoll, events.address(), count, timeoutMillis, 0, 0);
    }

    int eventfd() {
        return callInt(EVENTFD, 0, Abi.EFD_CLOEXEC | Abi.EFD_NONBLOCK, 0, 0, 0, 0);
    }

    // --- processes ---

    /// Repeated on any error but ECHILD, since a death that is not collected leaves a zombie for ever.
    int waitid(int idType, int id, MemorySegment siginfo, int options) {
        int result = callInt(WAITID, idType, id, siginfo.address(), options, 0, 0);
        for (int tries = 1; result < 0 && result != -Errno.ECHILD && tries < WAIT_TRIES; tries++) {
            result = callInt(WAITID, idType, id, siginfo.address(), options, 0, 0);
        }
        return result;
    }

    int kill(long pid, int signal) {
        return callInt(KILL, pid, signal, 0, 0, 0, 0);
    }

    int prctl(int operation, MemorySegment argument) {
        return callInt(PRCTL, operation, argument.address(), 0, 0, 0, 0);
    }

    int prctl(int operation, long argument) {
        return callInt(PRCTL, operation, argument, 0, 0, 0, 0);
    }

    /// The process group of a process; pid 0 is this process.
    int getpgid(long pid) {
        return callInt(GETPGID, pid, 0, 0, 0, 0, 0);
    }

    /// The kernel's number of the thread that calls.
    int gettid() {
        return callInt(GETTID, 0, 0, 0, 0, 0, 0);
    }

    /// Whether this process runs as root. The one call here that cannot fail.
    boolean root() {
        return (int) call(GETEUID, 0, 0, 0, 0, 0, 0, 0) == 0;
    }

    int pidfdOpen(long pid) {
        return callInt(SYSCALL, Abi.SYS_PIDFD_OPEN, pid, 0, 0, 0, 0);
    }

    int pidfdSendSignal(int pidfd, int signal) {
        return callInt(SYSCALL, Abi.SYS_PIDFD_SEND_SIGNAL, pidfd, signal, 0, 0, 0);
    }

    int prlimit(long pid, int resource, MemorySegment limit, MemorySegment old) {
        return callInt(PRLIMIT, pid, resource, limit.address(), old.address(), 0, 0);
    }

    /// Reads the memory of another process.
    ///
    /// @param local  an `iovec` of the target in our memory
    /// @param remote an `iovec` of the source in its memory
    int processVmRead(long pid, MemorySegment local, MemorySegment remote) {
        return callInt(PROCESS_VM_READV, pid, local.address(), 1, remote.address(), 1, 0);
    }

    int seccomp(int operation, int flags, MemorySegment argument) {
        int number = Abi.current().guardCalls().seccomp();
        return callInt(SYSCALL, number, operation, flags, argument.address(), 0, 0);
    }

    /// Makes a set of rules, or tells what the flags ask for.
    int landlockCreateRuleset(MemorySegment attributes, long bytes, int flags) {
        return callInt(SYSCALL, Abi.SYS_LANDLOCK_CREATE_RULESET, attributes.address(), bytes, flags, 0, 0);
    }

    int landlockAddRule(int ruleset, int type, MemorySegment rule) {
        return callInt(SYSCALL, Abi.SYS_LANDLOCK_ADD_RULE, ruleset, type, rule.address(), 0, 0);
    }

    int landlockRestrictSelf(int ruleset) {
        return callInt(SYSCALL, Abi.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0, 0, 0);
    }

    // --- spawning ---

    int spawn(
            MemorySegment pid,
            MemorySegment path,
            MemorySegment actions,
            MemorySegment attributes,
            MemorySegment argv,
            MemorySegment envp) {
        return callSpawn(
                SPAWN,
                pid.address(),
                path.address(),
                actions.address(),
                attributes.address(),
                argv.address(),
                envp.address());
    }

    int attrInit(MemorySegment attributes) {
        return callSpawn(ATTR_INIT, attributes.address(), 0, 0, 0, 0, 0);
    }

    int attrDestroy(MemorySegment attributes) {
        return callSpawn(ATTR_DESTROY, attributes.address(), 0, 0, 0, 0, 0);
    }

    int attrSetFlags(MemorySegment attributes, int flags) {
        return callSpawn(ATTR_SETFLAGS, attributes.address(), flags, 0, 0, 0, 0);
    }

    int attrSetSigDefault(MemorySegment attributes, MemorySegment set) {
        return callSpawn(ATTR_SETSIGDEFAULT, attributes.address(), set.address(), 0, 0, 0, 0);
    }

    int attrSetSigMask(MemorySegment attributes, MemorySegment set) {
        return callSpawn(ATTR_SETSIGMASK, attributes.address(), set.address(), 0, 0, 0, 0);
    }

    int actionsInit(MemorySegment actions) {
        return callSpawn(ACTIONS_INIT, actions.address(), 0, 0, 0, 0, 0);
    }

    int actionsDestroy(MemorySegment actions) {
        return callSpawn(ACTIONS_DESTROY, actions.address(), 0, 0, 0, 0, 0);
    }

    int actionsOpen(MemorySegment actions, int fd, MemorySegment path, int flags) {
        return callSpawn(ACTIONS_OPEN, actions.address(), fd, path.address(), flags, 0, 0);
    }

    int actionsDup2(MemorySegment actions, int from, int to) {
        return callSpawn(ACTIONS_DUP2, actions.address(), from, to, 0, 0, 0);
    }

    int actionsFchdir(MemorySegment actions, int fd) {
        return callSpawn(ACTIONS_FCHDIR, actions.address(), fd, 0, 0, 0, 0);
    }

    int actionsCloseFrom(MemorySegment actions, int from) {
        return callSpawn(ACTIONS_CLOSEFROM, actions.address(), from, 0, 0, 0, 0);
    }
}
