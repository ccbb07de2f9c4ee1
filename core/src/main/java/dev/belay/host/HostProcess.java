package dev.belay.host;

import dev.belay.EndReason;
import dev.belay.ExitStatus;
import dev.belay.InputState;
import dev.belay.Signal;
import dev.belay.Size;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// A running process and all it starts. Every method may be called from any thread, also after the end.
public interface HostProcess {
    long pid();

    /// The working folder relative to the workspace, `.` for its root.
    String workdir();

    /// Begins to deliver output and exit to the listener. Called once.
    void start(ProcessListener listener);

    /// Writes to the process and waits, at most for the timeout, until it has taken all.
    ///
    /// @param allowed asked when the turn of this write has come: false ends it with what was taken. Quick, on any thread.
    /// @return how many bytes were taken; -1 if the process takes no input any more and none was taken
    int write(ByteBuffer bytes, Duration timeout, BooleanSupplier allowed) throws InterruptedException;

    /// Ends the writes that are no longer allowed. When it returns none of their bytes will follow.
    void recallWrites();

    /// Closes the process's standard input. Pipes only.
    void closeInput();

    /// Gives the terminal a new size. Terminals only.
    ///
    /// @return false if the terminal is gone
    boolean resize(Size size);

    /// Signals the foreground process group of the terminal, or the leader's group on pipes.
    ///
    /// @return false if there was nobody to signal
    boolean signal(Signal signal);

    /// Whether somebody waits for input now: a process in the foreground of the terminal, or in the leader's group on
    /// pipes. Returns without waiting for anybody's input or output; what cannot be seen, for want of rights or means, is
    /// told as such and never thrown. What those had printed who are seen to wait has been passed to the listener by then,
    /// unless that had asked for a pause: a question goes before its wait. Called once [#start] has returned.
    InputState inputState();

    /// Reads on after [ProcessListener#output] asked for a pause.
    void resume();

    /// The limit that ended the leader, as far as the kernel tells beyond the leader's exit. Asked when it has exited, on the
    /// host's loop.
    default Optional<EndReason> limitHit(ExitStatus exit) {
        return Optional.empty();
    }

    /// How many processes of the session live although its leader is dead; 0 while the leader lives.
    int survivors();

    /// Ends every process of the session and lets go of the terminal or pipes. Returns when that is done and the
    /// listener has heard it. An interrupt does not cut it short: it is bounded by the grace and a few seconds.
    ///
    /// @param grace how long the processes may take to end politely before they are killed
    Ended end(Duration grace);

    /// What an [#end] did.
    ///
    /// @param killed how many processes had to be killed
    /// @param left   processes that could not be ended, with the reason; empty when all are gone
    record Ended(int killed, java.util.List<String> left) {}
}
