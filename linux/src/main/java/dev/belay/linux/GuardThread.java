package dev.belay.linux;

import dev.belay.SessionException;
import dev.belay.host.Uninterrupted;
import java.lang.foreign.Arena;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// A platform thread for one spawn that gives up privileges for good: the child inherits that, and the other threads of
/// this JVM do not.
///
/// Only the spawn itself runs there. A thread that it made, such as a carrier of virtual threads or a timer, would
/// inherit what it has given up.
final class GuardThread {
    private GuardThread() {}

    /// What the thread does.
    @FunctionalInterface
    interface Start {
        /// Starts the process.
        ///
        /// @param libc  for calls on the thread
        /// @param arena ends with the thread
        int run(Libc libc, Arena arena);
    }

    /// Starts a process that gains no privileges. Blocks until it is done.
    ///
    /// @param watch holds the process, and all that it starts, at each `execve`; null for none
    /// @return what the start returns
    static int call(@Nullable ExecWatch watch, Start start) {
        CompletableFuture<Integer> result = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().name("belay-guard").unstarted(() -> {
            try (Arena arena = Arena.ofConfined()) {
                Libc libc = new Libc(arena);
                giveUpPrivileges(libc);
                if (watch != null) {
                    watch.open(libc, arena);
                }
                result.complete(start.run(libc, arena));
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
        thread.start();
        Uninterrupted.run(thread::join);
        try {
            return result.join();
        } catch (CompletionException e) {
            Throwable thrown = e.getCause();
            switch (thrown) {
                case SessionException refusal -> throw refusal;
                case RuntimeException cause -> throw cause;
                case Error error -> throw error;
                case null, default -> throw e;
            }
        }
    }

    private static void giveUpPrivileges(Libc libc) {
        int result = libc.prctl(Abi.PR_SET_NO_NEW_PRIVS, 1);
        if (result < 0) {
            throw Spawner.failed("give up privileges", -result);
        }
    }
}
