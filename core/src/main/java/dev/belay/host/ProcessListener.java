package dev.belay.host;

import dev.belay.ExitStatus;
import dev.belay.Outlet;
import dev.belay.Size;
import java.nio.ByteBuffer;

/// Hears what a process does. Called on the host's loop: an implementation never blocks and runs no user code.
public interface ProcessListener {
    /// The process wrote bytes. The buffer is valid only during the call. [#announce] follows, not always at once.
    ///
    /// @return false to ask the host to read no more until [HostProcess#resume()]
    boolean output(ByteBuffer bytes, Outlet outlet);

    /// Wakes the threads that wait for what was given to [#output]. While a process floods, a host may announce several
    /// reads at once. It announces everything before it waits for anything and before [#exited] and [#released].
    void announce();

    /// The terminal has a new size from here on.
    void resized(Size size);

    /// The leader is dead and all it wrote has been given to [#output]. Called once.
    ///
    /// @param held true if other processes still hold the terminal or a pipe: [#released()] follows when they have let
    ///             go; false if nothing more will come
    void exited(ExitStatus status, boolean held);

    /// After [#exited]: nothing more will come. Only the first call counts, and none after an exit without `held`.
    void released();

    /// A process of a watched session asks to start a program. The listener answers the request, on another thread.
    default void executing(ExecRequest request) {
        throw new IllegalStateException("nobody watches this session");
    }
}
