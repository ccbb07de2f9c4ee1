package dev.belay.server.attach;

import dev.belay.BegunInput;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// Input of one client for one session on its way: in order, and without holding up what else the client sends.
///
/// An input that nothing waits before is begun on the caller's thread; for a key, that is all there is to do. Whatever
/// may take time is left to a virtual thread, which writes one input after the other while there are some. If an input
/// is not taken completely, those that wait behind it are not written: they were not meant to follow a hole. The
/// monitor guards the queue only.
public final class InputQueue {
    /// A longer input is too much for a thread that serves many clients.
    private static final int AT_ONCE_BYTES = 4 << 10;
    /// What a step returns if the input is not over, and what an answer returns if it was refused.
    private static final int NOT_OVER = -1;
    private static final int REFUSED = -2;

    private final Deque<Waiting> tasks = new ArrayDeque<>();
    private final long roomBytes;
    private long bytes;
    /// Whether an input is in progress: begun by its caller, or by the thread.
    private boolean running;

    /// How a door answers the client that sent an input.
    @FunctionalInterface
    public interface Answer {
        /// Runs a step, and answers with how many bytes were taken, or with the refusal that the step throws. Does not
        /// wait, and throws nothing.
        void give(Step step);
    }

    /// A part of writing an input.
    @FunctionalInterface
    public interface Step {
        /// Does it, and returns how many bytes were taken; a negative number if there is nothing to answer yet.
        int run() throws InterruptedException;
    }

    private static final class Waiting {
        final Viewer viewer;
        final byte[] input;
        final @Nullable String inputId;
        final Answer answer;
        @Nullable BegunInput begun;
        boolean skip;

        Waiting(Viewer viewer, byte[] input, @Nullable String inputId, Answer answer) {
            this.viewer = viewer;
            this.input = input;
            this.inputId = inputId;
            this.answer = answer;
        }

        int begin() {
            return give(() -> {
                BegunInput tried = viewer.begin(input, inputId);
                begun = tried.isOver() ? null : tried;
                return tried.isOver() ? tried.written() : NOT_OVER;
            });
        }

        int finish() {
            return give(() -> skip ? 0 : begun != null ? begun.finish() : viewer.write(input, inputId));
        }

        /// Whether nothing is missing of it, because everything was taken or all of it was refused.
        boolean isWhole(int taken) {
            return taken == REFUSED || taken == input.length;
        }

        private int give(Step step) {
            int[] taken = {REFUSED};
            answer.give(() -> {
                taken[0] = step.run();
                return taken[0];
            });
            return taken[0];
        }
    }

    /// @param roomBytes what may wait; a client that sends more waits until there is room
    public InputQueue(long roomBytes) {
        this.roomBytes = roomBytes;
    }

    /// Begins to write an input, if nothing waits before it. Does not wait.
    ///
    /// @return false if something does, or the input is long: then it must be [added][#add], which may wait
    public boolean begin(Viewer viewer, byte[] input, @Nullable String inputId, Answer answer) {
        synchronized (this) {
            if (running || input.length > AT_ONCE_BYTES) {
                return false;
            }
            running = true;
            bytes += input.length;
        }
        Waiting task = new Waiting(viewer, input, inputId, answer);
        int taken = REFUSED;
        try {
            taken = task.begin();
        } finally {
            if (taken == NOT_OVER) {
                goOn(task);
            } else {
                done(task, task.isWhole(taken));
                goOn(null);
            }
        }
        return true;
    }

    /// Writes an input after those that were added before. Waits while too much is waiting.
    public void add(Viewer viewer, byte[] input, @Nullable String inputId, Answer answer) throws InterruptedException {
        synchronized (this) {
            while (bytes > roomBytes) {
                wait();
            }
            bytes += input.length;
            tasks.add(new Waiting(viewer, input, inputId, answer));
            if (running) {
                return;
            }
            running = true;
        }
        goOn(null);
    }

    /// Lets the thread write what is left, if anything is.
    private void goOn(@Nullable Waiting begun) {
        Waiting first = begun != null ? begun : next();
        if (first != null) {
            Thread.ofVirtual().name("belay-input").start(() -> run(first));
        }
    }

    private void run(Waiting first) {
        for (Waiting task = first; task != null; task = next()) {
            boolean whole = true;
            try {
                whole = task.isWhole(task.finish());
            } finally {
                done(task, whole);
            }
        }
    }

    private synchronized @Nullable Waiting next() {
        Waiting task = tasks.poll();
        running = task != null;
        return task;
    }

    private synchronized void done(Waiting task, boolean whole) {
        bytes -= task.input.length;
        if (!whole && !task.skip) {
            tasks.forEach(behind -> behind.skip = true);
        }
        notifyAll();
    }
}
