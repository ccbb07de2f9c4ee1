package dev.belay.host;

import dev.belay.EndReason;
import dev.belay.ExitStatus;
import dev.belay.InputState;
import dev.belay.ProcessRecord;
import dev.belay.Signal;
import dev.belay.Size;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A running process and everything it starts. Every method may be called from any thread, even after the end.
public interface HostProcess {
    long pid();

    /// The working folder relative to the workspace, `.` for its root.
    String workdir();

    /// Begins to deliver output and exit to the listener. Called once.
    void start(ProcessListener listener);

    /// Writes to the process and waits, at most for the timeout, until everything is written.
    ///
    /// @param bytes   its position is moved past what was written, even if the wait is interrupted
    /// @param allowed asked when it is this write's turn: false ends the write. It is quick and may be called on any
    ///                thread
    /// @return how many bytes were written; -1 if the process accepts no more input and none was written
    int write(ByteBuffer bytes, Duration timeout, BooleanSupplier allowed) throws InterruptedException;

    /// As [#write], but without waiting: writes what is accepted at once.
    ///
    /// @return null if it would have to wait before it could begin; nothing was written
    default @Nullable TriedWrite tryWrite(ByteBuffer bytes, BooleanSupplier allowed) {
        return null;
    }

    /// The process group in the foreground of the terminal; 0 on pipes, or if it is unknown.
    default long foreground() {
        return 0;
    }

    /// Whether the leader alone is in the foreground, and has run other programs before: a shell that may be at its
    /// prompt.
    default boolean shellReads() {
        return false;
    }

    /// Answers a question of a program: writes all bytes to its terminal, or none. Does not wait.
    ///
    /// @param group who asked; see [#foreground()]
    /// @return false if nothing was written: there is no terminal, another group is in its foreground, it is in line
    ///         mode, or it has no room
    default boolean reply(byte[] bytes, long group) {
        return false;
    }

    /// Ends the writes that are no longer allowed. Once it returns, none of their bytes follow.
    void recallWrites();

    /// Closes the process's standard input. Pipes only.
    void closeInput();

    /// Resizes the terminal. Terminals only.
    ///
    /// @return false if the terminal is gone
    boolean resize(Size size);

    /// Signals the foreground process group of the terminal, or the leader's group on pipes.
    ///
    /// @return false if there was no process to signal
    boolean signal(Signal signal);

    /// Whether a process is waiting for input now: in the foreground of the terminal, or in the leader's group on
    /// pipes. Returns without waiting for input or output, and never throws: what it may not see is unknown. If it
    /// reports a waiting process, what that had printed before has already been passed to the listener, unless the
    /// listener had asked for a pause. Called only after [#start] has returned.
    InputState inputState();

    /// Continues to read after [ProcessListener#output] asked for a pause.
    void resume();

    /// The limit that ended the leader, if the kernel reports one that the exit status does not show. Called on the
    /// host's loop after the exit.
    default Optional<EndReason> limitHit(ExitStatus exit) {
        return Optional.empty();
    }

    /// Whether a process of the session listens on a TCP port. Looks at all processes of the machine.
    default boolean listens() {
        return false;
    }

    /// The living processes of the session, oldest first, even after the leader has exited. Looks at all processes
    /// of the machine.
    default List<ProcessRecord> processes() {
        return List.of();
    }

    /// How many processes of the session have outlived the leader; 0 while the leader is alive.
    int survivors();

    /// Files that people or their tools run later, such as build scripts, and that a sandboxed session has changed;
    /// relative to the workspace. Known once [#end] has returned, and often before.
    default List<String> changed() {
        return List.of();
    }

    /// Ends every process of the session and closes the terminal or pipes. Returns when that is done and the listener
    /// knows. Interrupts do not cut it short: it takes at most the grace and a few seconds.
    ///
    /// @param grace how long the processes may take to end politely before they are killed
    Ended end(Duration grace);

    /// What an [#end] did.
    ///
    /// @param ended  how many processes it ended
    /// @param killed how many of them had to be killed
    /// @param left   processes that could not be ended, with the reason; empty when all are gone
    /// @param proven whether the kernel has confirmed that no process is left: otherwise none was found
    record Ended(int ended, int killed, List<String> left, boolean proven) {
        public Ended left(String what) {
            return new Ended(ended, killed, List.of(what), false);
        }

        public Ended confirmed() {
            return new Ended(ended, killed, left, true);
        }
    }
}
