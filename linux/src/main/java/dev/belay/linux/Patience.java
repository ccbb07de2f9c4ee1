package dev.belay.linux;

import dev.belay.Signal;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/// A bound for system calls that wait for a child and know none: the child is killed when the time is over, which
/// ends
/// the call.
///
/// @param most how long a call may take
record Patience(Duration most) {
    /// Makes a call.
    ///
    /// @param pid a child that nobody else waits for, so that its number stays its own
    /// @return what the call returns; -1 if the child had to be killed
    int call(long pid, IntSupplier call) {
        CompletableFuture<Boolean> inTime =
                new CompletableFuture<Boolean>().completeOnTimeout(false, most.toNanos(), TimeUnit.NANOSECONDS);
        CompletableFuture<Void> watch = inTime.thenAccept(came -> {
            if (!came) {
                try (Arena own = Arena.ofConfined()) {
                    new Libc(own).kill(pid, Signal.KILL.number());
                }
            }
        });
        int result = call.getAsInt();
        boolean first = inTime.complete(true);
        // The child has not been waited for, so its number is its own for as long as the watch may need it.
        watch.join();
        return first ? result : -1;
    }
}
