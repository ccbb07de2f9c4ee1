package dev.belay;

/// Listens to a session on the thread where things happen, before any waiting thread runs. For listeners that must be
/// quick: a viewer that sends an echo, a screen that looks for questions.
///
/// Both methods are called by threads that must not wait, such as the host's loop. They must not block or take a lock
/// that somebody may hold for long, and must do a bounded amount of work. Exceptions are logged and dropped.
public interface OutputTap {
    /// The longest output that is handed over. The host announces a longer one together with what follows it.
    int MAX_BYTES = 2 << 10;

    /// A little output, which is now at the end of the log. Called by the host's loop only, in the order of offsets.
    /// Output is not handed over if it is long, was not stored, or if the session has more taps than can be served.
    ///
    /// @param from  the offset of its first byte
    /// @param bytes not to be changed: other taps get the same array
    /// @return false if [#rang] should follow, as for all other output
    boolean output(long from, byte[] bytes);

    /// Something has happened: output, exit, a resize, the keyboard changing hands, the end of the session.
    void rang();

    /// An open tap. While it is open, the session is not idle, unless the handle's actor only watches.
    interface Open extends AutoCloseable {
        /// Ends the tap. Calls in progress may still finish. A second call does nothing.
        @Override
        void close();
    }
}
