package dev.belay.server.attach;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/// Who may use the state of a viewer: its sender, or, while that waits, for a moment the host's loop.
///
/// The sender waits here without a time-out. Any thread may signal, however often: a signal that comes while the sender
/// runs, or while the loop has the state, makes the next wait return at once. Nothing blocks except [#await].
final class Handover {
    private enum Turn {
        /// The sender's.
        SENDER,
        /// Nobody's: the sender waits.
        FREE,
        /// The loop's.
        LOOP
    }

    private final AtomicReference<Turn> turn = new AtomicReference<>(Turn.SENDER);
    /// Written before the turn is read, and read after the turn was written: no signal is lost between the two.
    private volatile boolean signalled;
    /// The one who waits. Set before the turn is free.
    private volatile Thread sender = Thread.currentThread();

    /// Something has happened that the sender must see. Any thread.
    void signal() {
        signalled = true;
        wakeIfFree();
    }

    private void wakeIfFree() {
        if (turn.compareAndSet(Turn.FREE, Turn.SENDER)) {
            LockSupport.unpark(sender);
        }
    }

    /// Takes the state while the sender waits and nothing is left for it to see.
    ///
    /// @return false if it is the sender's; if true, [#giveBack] has to follow
    boolean take() {
        return !signalled && turn.compareAndSet(Turn.FREE, Turn.LOOP);
    }

    /// Gives the state back to the sender, which keeps waiting.
    void giveBack() {
        turn.set(Turn.FREE);
        if (signalled) {
            wakeIfFree();
        }
    }

    /// Waits until somebody has signalled since the last wait returned. Only the sender calls it, and looks at
    /// everything afterwards.
    void await() throws InterruptedException {
        sender = Thread.currentThread();
        turn.set(Turn.FREE);
        if (signalled) {
            wakeIfFree();
        }
        while (turn.get() != Turn.SENDER) {
            LockSupport.park(this);
            if (Thread.interrupted()) {
                takeBack();
                throw new InterruptedException();
            }
        }
        // Before the sender looks: what is signalled from here on is for the next wait.
        signalled = false;
    }

    /// The loop has the state for some microseconds at most.
    private void takeBack() {
        while (turn.get() != Turn.SENDER && !turn.compareAndSet(Turn.FREE, Turn.SENDER)) {
            Thread.onSpinWait();
        }
    }
}
