package dev.belay.host;

import dev.belay.ExitStatus;
import dev.belay.Outlet;
import dev.belay.Size;
import java.nio.ByteBuffer;

/// Hears what a process does. Called on the host's loop: an implementation never blocks and runs no foreign code.
public interface ProcessListener {
    /// The process wrote bytes; the buffer is valid during the call only. [#announce] is owed for them.
    ///
    /// @return false to ask the host to read no more until [HostProcess#resume()]
    boolean output(ByteBuffer bytes, Outlet outlet);

    /// Wakes those who wait for what was given to [#output]. While a process floods, a host announces several reads at once,
    /// but it never waits for anything, nor says [#exited] or [#released], before it has announced all.
    void announce();

    /// The terminal has a new size from here on.
    void resized(Size size);

    /// The leader is dead and all it wrote has been given to [#output].
    ///
    /// @param held true if other processes still hold the terminal or a pipe: then [#released()] follows when they
    ///             have let go; false if nothing more will come
    void exited(ExitStatus status, boolean held);

    /// After [#exited] with `held`: nothing more will come.
    void released();
}
