package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.linux.Injector.Site;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One thing that goes wrong: a call that fails once, or a want that begins with a call and lasts.
///
/// @param site  whose calls fail; null for a want, which meets all calls that it concerns
/// @param nth   which call fails first, from 1 on
record Fault(@Nullable Site site, int errno, int nth) {
    private static final Set<String> DESCRIPTOR_MAKERS =
            Set.of("open", "openat2", "pipe2", "eventfd", "epollCreate", "pidfdOpen", ioctl(Abi.TIOCGPTPEER));
    /// Calls that ask the kernel for memory.
    private static final Set<String> ALLOCATORS = Set.of(
            "open", "openat2", "pipe2", "eventfd", "epollCreate", "pidfdOpen", ioctl(Abi.TIOCGPTPEER), "spawn",
            "actionsInit", "actionsDup2", "actionsOpen", "actionsFchdir", "epollCtl " + Abi.EPOLL_CTL_ADD);

    private static String ioctl(int request) {
        return "ioctl " + Integer.toHexString(request);
    }

    /// The errors that a call can meet. Left out is what the kernel never says: it takes a descriptor out of epoll, and
    /// changes what epoll waits for, without asking for anything.
    private static List<Integer> errorsOf(Site site) {
        return switch (site.call()) {
            case "read" -> switch (site.caller()) {
                case "Loop.turns" -> List.of(Errno.EINTR, Errno.EAGAIN);
                case "Port.read" -> List.of(Errno.EINTR, Errno.EAGAIN, Errno.EIO);
                default -> List.of(Errno.EINTR, Errno.ENOMEM, Errno.EIO);
            };
            case "write" -> site.caller().equals("Loop.ring")
                    ? List.of(Errno.EINTR)
                    : List.of(Errno.EINTR, Errno.EAGAIN, Errno.EIO, Errno.ENOMEM, Errno.ENOSPC);
            case "open" ->
                List.of(Errno.EINTR, Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.EAGAIN, Errno.EIO, Errno.ENOSPC);
            case "openat2" ->
                List.of(Errno.EINTR, Errno.EAGAIN, Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.EIO);
            case "pipe2", "eventfd", "epollCreate", "pidfdOpen" -> List.of(Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM);
            case "epollCtl 1" -> List.of(Errno.ENOMEM, Errno.ENOSPC);
            case "epollWait" -> List.of(Errno.EINTR, Errno.ENOMEM);
            case "waitid" -> List.of(Errno.EINTR);
            case "prlimit" -> List.of(Errno.EPERM);
            case "kill", "pidfdSendSignal" -> List.of(Errno.EPERM);
            case "spawn" -> List.of(Errno.EAGAIN, Errno.ENOMEM, Errno.EMFILE, Errno.ENFILE, Errno.EIO);
            case "attrInit", "actionsInit", "actionsOpen", "actionsDup2", "actionsFchdir", "actionsCloseFrom" ->
                List.of(Errno.ENOMEM);
            case "fcntl", "readlink", "faccessat", "getdents", "statx" -> List.of(Errno.EINTR, Errno.ENOMEM, Errno.EIO);
            default -> site.call().startsWith("ioctl ")
                    ? site.call().equals(ioctl(Abi.TIOCGPTPEER))
                            ? List.of(Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.EIO)
                            : List.of(Errno.EINTR, Errno.EIO)
                    : List.of();
        };
    }

    /// All that can go wrong in something that made these calls: each error at each call of a site, where there are
    /// many at growing distances; and each want from a call on, likewise.
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

    /// Whether nobody may notice: a call that was interrupted, or asks for another try, is made again.
    boolean invisible() {
        return site != null
                && (errno == Errno.EINTR
                        || (errno == Errno.EAGAIN && Set.of("read", "write", "openat2").contains(site.call())));
    }

    /// Whether closing has to work although this goes on.
    boolean closable() {
        return site != null || errno != Errno.ENOMEM;
    }

    /// Whether output is over where this is met, whatever was on its way: the kernel says so of a terminal that everybody
    /// has closed.
    boolean endsOutput() {
        return site != null && site.caller().equals("Port.read") && errno == Errno.EIO;
    }

    /// The codes with which something may be refused because of this.
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
        return errno == Errno.ENOMEM ? new Want(ALLOCATORS) : new FullTable();
    }

    /// From a call on, all calls of a kind fail.
    private class Want implements Injector.Plan {
        private final Set<String> met;
        private int seen;

        Want(Set<String> met) {
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

    /// From a call on there are no more descriptors than those that are closed.
    private final class FullTable extends Want {
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
