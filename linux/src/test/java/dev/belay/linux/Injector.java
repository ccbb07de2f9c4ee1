package dev.belay.linux;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/// Makes system calls of the Linux host fail on demand and counts them by call site. Active from creation to close.
final class Injector implements Libc.Faults, AutoCloseable {
    /// A call and its caller, such as `open` by `ProcFile.read`.
    record Site(String call, String caller) {
        @Override
        public String toString() {
            return call + " by " + caller;
        }
    }

    /// Decides which calls fail.
    interface Plan {
        /// Decides about a call.
        ///
        /// @param nth the number of this call at its site, from 1 on
        /// @return an error number to fail with, an [Injector#result], or 0 to make the call
        int decide(Site site, int nth);

        /// A call was made and has returned.
        default void made(Site site, int result) {}
    }

    private static final StackWalker WALKER = StackWalker.getInstance();
    private static final Set<String> ON_DESCRIPTORS = Set.of("read", "write", "ioctl", "fcntl");

    private final Map<Site, Integer> counts = new LinkedHashMap<>();
    private final Set<Long> spared;
    private final Plan plan;
    private @Nullable Site hit;

    private Injector(Set<Long> spared, Plan plan) {
        this.spared = spared;
        this.plan = plan;
    }

    /// Starts failing calls.
    ///
    /// @param spared descriptors on which no call fails
    static Injector of(Set<Long> spared, Plan plan) {
        if (Libc.faults != null) {
            throw new IllegalStateException("another injector is active");
        }
        Injector injector = new Injector(spared, plan);
        Libc.faults = injector;
        return injector;
    }

    /// The decision that a call is not made and returns this value instead.
    static int result(int value) {
        return -value;
    }

    @Override
    public int call(long first, long second, IntSupplier call) {
        Site site = site(second);
        boolean free = ON_DESCRIPTORS.contains(site.call().split(" ", 2)[0]) && spared.contains(first);
        int error = free ? 0 : error(site);
        if (error != 0) {
            return -error;
        }
        // Not under the lock, because it may block.
        int result = call.getAsInt();
        synchronized (this) {
            plan.made(site, result);
        }
        return result;
    }

    private synchronized int error(Site site) {
        int error = plan.decide(site, counts.merge(site, 1, Integer::sum));
        hit = error == 0 ? hit : site;
        return error;
    }

    /// The method of [Libc] that is called and the method that calls it.
    private static Site site(long second) {
        return WALKER.walk(frames -> {
            List<StackWalker.StackFrame> rest = frames
                    .dropWhile(frame -> !frame.getClassName().equals(Libc.class.getName()))
                    .limit(10)
                    .toList();
            int outer = 0;
            while (rest.get(outer + 1).getClassName().equals(Libc.class.getName())) {
                outer++;
            }
            StackWalker.StackFrame caller = rest.get(outer + 1);
            String type = caller.getClassName().substring(caller.getClassName().lastIndexOf('.') + 1);
            String method = caller.getMethodName().replaceAll("lambda\\$(\\w+)\\$\\d+", "$1");
            String call = rest.get(outer).getMethodName();
            return new Site(switch (call) {
                case "ioctl" -> call + " " + Integer.toHexString((int) second);
                case "epollCtl" -> call + " " + second;
                default -> call;
            }, type + "." + method);
        });
    }

    synchronized Map<Site, Integer> counts() {
        return new LinkedHashMap<>(counts);
    }

    /// The site of the last failed call; null if none failed.
    synchronized @Nullable Site hit() {
        return hit;
    }

    @Override
    public void close() {
        Libc.faults = null;
    }
}
