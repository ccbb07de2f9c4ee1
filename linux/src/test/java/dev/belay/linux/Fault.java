package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.linux.Injector.Site;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One thing that goes wrong: a call that fails once, or a shortage that begins at a call and lasts.
///
/// @param site  where calls fail; null for a shortage, which affects calls everywhere
/// @param nth   the first call that fails, from 1 on
record Fault(@Nullable Site site, int errno, int nth) {
    private static final Set<String> DESCRIPTOR_MAKERS =
            Set.of("open", "openat2", "pipe2", "eventfd", "epollCreate", "pidfdOpen", ioctl(Abi.TIOCGPTPEER));
    /// Calls that need memory from the kernel.
    private static final Set<String> ALLOCATORS = Set.of(
            "open", "openat2", "pipe2", "eventfd", "epollCreate", "pidfdOpen", ioctl(Abi.TIOCGPTPEER), "spawn",
            "actionsInit", "actionsDup2", "actionsOpen", "actionsFchdir", "epollCtl " + Abi.EPOLL_CTL_ADD);

    static String ioctl(int request) {
        return "ioctl " + Integer.toHexString(request);
    }

    /// Calls that never fail for lack of memory or descriptors or because of a signal: changing and removing what epoll
    /// waits for, closing, asking for a process group, and the settings of a spawn, which the C library only stores.
    private static final Set<String> NEVER_FAIL = Set.of(
            "epollCtl " + Abi.EPOLL_CTL_DEL, "epollCtl " + Abi.EPOLL_CTL_MOD, "close", "getpgid", "gettid",
            "attrSetFlags",
            "attrSetSigDefault", "attrSetSigMask", "attrDestroy", "actionsDestroy");

    /// The errors to try for a call: those that the kernel documents and most that it might add. No kernel runs out of
    /// descriptors or space when it only reads or waits, and writing to the loop's eventfd does not fail.
    static List<Integer> errorsOf(Site site) {
        return switch (site.call()) {
            case "read" -> switch (site.caller()) {
                case "Loop.turns" -> List.of(Errno.EINTR, Errno.EAGAIN);
                default -> List.of(Errno.EINTR, Errno.EAGAIN, Errno.EIO, Errno.ENOMEM);
            };
            case "write" -> site.caller().equals("Loop.ring")
                    ? List.of(Errno.EINTR)
                    : List.of(Errno.EINTR, Errno.EAGAIN, Errno.EIO, Errno.ENOMEM, Errno.ENOSPC);
            case "open", "openat2", "spawn", "pidfdOpen" ->
                List.of(Errno.EINTR, Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.EAGAIN, Errno.EIO, Errno.ENOSPC);
            case "pipe2", "eventfd", "epollCreate" ->
                List.of(Errno.EINTR, Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM);
            case "epollCtl " + Abi.EPOLL_CTL_ADD -> List.of(Errno.EINTR, Errno.ENOMEM, Errno.ENOSPC);
            case "epollWait" -> List.of(Errno.EINTR, Errno.ENOMEM);
            case "waitid" -> List.of(Errno.EINTR, Errno.EAGAIN, Errno.EIO, Errno.ENOMEM);
            case "prlimit", "prctl" -> List.of(Errno.EPERM);
            case "seccomp" -> List.of(Errno.EINTR, Errno.EINVAL, Errno.EBUSY, Errno.EMFILE, Errno.ENOMEM);
            case "kill", "pidfdSendSignal" -> List.of(Errno.EPERM);
            case "attrInit", "actionsInit", "actionsOpen", "actionsDup2", "actionsFchdir", "actionsCloseFrom" ->
                List.of(Errno.ENOMEM);
            case "fcntl", "readlink", "faccessat", "getdents", "statx", "processVmRead" ->
                List.of(Errno.EINTR, Errno.ENOMEM, Errno.EIO);
            case String ioctl when ioctl.equals(ioctl(Abi.TIOCGPTPEER)) ->
                List.of(Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.EIO);
            case String ioctl when ioctl.startsWith("ioctl ") -> List.of(Errno.EINTR, Errno.EIO);
            case String sure when NEVER_FAIL.contains(sure) -> List.of();
            default -> throw new AssertionError("Add the errors of " + site + " here.");
        };
    }

    /// Everything that can go wrong in a run that made these calls: each error at each call of a site, at growing
    /// distances if there are many calls; and each shortage from a call on, in the same steps.
    static List<Fault> all(Map<Site, Integer> counts) {
        List<Fault> faults = new ArrayList<>();
        counts.forEach((site, count) -> errorsOf(site).forEach(
                errno -> growing(count).forEach(nth -> faults.add(new Fault(site, errno, nth)))));
        for (int errno : List.of(Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM)) {
            Set<String> met = errno == Errno.ENOMEM ? ALLOCATORS : DESCRIPTOR_MAKERS;
            int count = counts.entrySet().stream()
                    .filter(entry -> met.contains(entry.getKey().call()))
                    .mapToInt(Map.Entry::getValue)
                    .sum();
            growing(count).forEach(nth -> faults.add(new Fault(null, errno, nth)));
        }
        return faults;
    }

    private static List<Integer> growing(int count) {
        List<Integer> steps = new ArrayList<>();
        for (int nth = 1; nth <= count; nth += Math.max(1, nth / 8)) {
            steps.add(nth);
        }
        return steps;
    }

    /// Whether the failing call is a read of the loop, for a session or for itself.
    private boolean reading() {
        return site != null && Set.of("OutputReader.read", "Loop.turns").contains(site.caller());
    }

    /// Whether nobody may notice the fault: an interrupted call, or one that asks for another try, is repeated, and
    /// output that there is no memory for is read later.
    boolean invisible() {
        return site != null
                && (errno == Errno.EINTR
                        || site.call().equals("waitid")
                        || (errno == Errno.EAGAIN && Set.of("write", "openat2").contains(site.call()))
                        || (reading() && (errno == Errno.EAGAIN || errno == Errno.ENOMEM)));
    }

    /// Whether closing must work while the fault lasts.
    boolean closable() {
        return site != null || errno != Errno.ENOMEM;
    }

    /// Whether this fault ends the output and loses what was on its way: EIO is how the kernel reports a terminal that
    /// every process has closed.
    boolean endsOutput() {
        return reading() && errno == Errno.EIO;
    }

    /// The error codes that this fault may lead to.
    Set<ErrorCode> codes() {
        Set<ErrorCode> codes = EnumSet.of(ErrorCode.SPAWN_FAILED, ErrorCode.UNAVAILABLE, ErrorCode.NOT_WRITABLE);
        if (site != null) {
            switch (site.call()) {
                case "prlimit" -> codes.add(ErrorCode.INVALID_REQUEST);
                case "kill", "pidfdSendSignal" -> codes.add(ErrorCode.DENIED);
                default -> codes.addAll(
                        site.call().equals(ioctl(Abi.TIOCSIG)) ? Set.of(ErrorCode.NOT_FOUND) : Set.of());
            }
        }
        return codes;
    }

    Injector.Plan plan() {
        if (site != null) {
            return (at, number) -> at.equals(site) && number == nth ? errno : 0;
        }
        return errno == Errno.ENOMEM ? new Shortage(ALLOCATORS) : new FullTable();
    }

    /// From the nth call on, all calls of a kind fail.
    private class Shortage implements Injector.Plan {
        private final Set<String> met;
        private int seen;

        Shortage(Set<String> met) {
            this.met = met;
        }

        boolean begun() {
            return seen >= nth;
        }

        @Override
        public int decide(Site at, int number) {
            return met.contains(at.call()) && ++seen >= nth ? errno : 0;
        }
    }

    /// From the nth call on, a descriptor is available only after another is closed.
    private final class FullTable extends Shortage {
        private int free;

        FullTable() {
            super(DESCRIPTOR_MAKERS);
        }

        @Override
        public int decide(Site at, int number) {
            int error = super.decide(at, number);
            return error != 0 && free >= needed(at) ? 0 : error;
        }

        private static int needed(Site at) {
            return at.call().equals("pipe2") ? 2 : 1;
        }

        @Override
        public void made(Site at, int result) {
            if (begun() && at.call().equals("close")) {
                free++;
            } else if (begun() && result >= 0 && DESCRIPTOR_MAKERS.contains(at.call())) {
                free -= needed(at);
            }
        }
    }

    @Override
    public String toString() {
        String name = Errno.text(errno).split(":", 2)[0];
        return site == null ? name + " from call " + nth + " on" : name + " at call " + nth + " of " + site;
    }
}
