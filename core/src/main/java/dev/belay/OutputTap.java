package dev.belay;

/// Hears of what happens in a session on the thread where it happens, before any waiting thread runs. For those who
/// must be quick: a viewer that sends an echo, a screen that looks for questions.
///
/// Both methods are called by threads that must not wait, the host's loop among them. They never block, take no lock
/// that somebody may hold for long, and do a bounded amount of work. What they throw is logged and dropped.
public interface OutputTap {
    /// The longest output that is handed over. The host announces a longer one together with what follows it.
    int MAX_BYTES = 2 << 10;

    /// A little output, which is now in the log and is the end of it. Host's loop only, in the order of the offsets.
    /// Output is not handed over if it is long, was not stored, or if the session has more taps than can be served.
    ///
    /// @param from  the offset of its first byte
    /// @param bytes not to be changed: other taps get the same array
    /// @return false if [#rang] is to follow, as it does for all other output
    boolean output(long from, byte[] bytes);

    /// Something has happened: output, exit, a resize, the keyboard changing hands, the end of the session.
    void rang();

    /// A tap that is open. The session is not idle meanwhile, unless the handle's actor only watches.
    interface Open extends AutoCloseable {
        /// Nothing more is heard after this, except by calls that are under way. A second call does nothing.
        @Override
        void close();
    }
}
