import java.io.IOException;
import java.util.List;

/// A runtime that is measured from Java. Every method but `start` may block.
interface Peer extends AutoCloseable {
    /// How a child is started.
    enum On {
        /// In an 80x24 terminal.
        PTY,
        /// The same, and every byte of the output will be read.
        BULK,
        /// With pipes, and every byte of the output will be read.
        PIPE
    }

    Term start(On on, List<String> command) throws IOException;

    /// Ends many children at once, the fastest way the runtime has.
    default void endAll(List<Term> terms) throws Exception {
        for (Term term : terms) {
            term.end();
        }
    }

    @Override
    default void close() {}

    /// One child and its terminal or pipes.
    interface Term {
        /// Waits for output and reads once.
        ///
        /// @return the bytes in [#bytes()], or 0 at the end
        int read() throws Exception;

        /// What the last read gave, from index 0 on; good until the next one.
        byte[] bytes();

        void write(byte[] bytes) throws Exception;

        /// Waits until the child has exited and its output is complete.
        void awaitExit() throws Exception;

        /// Does what it takes to have the output read while nothing comes: a thread, where reads block.
        default void standBy() {}

        /// Kills the child and lets go of it.
        void end() throws Exception;
    }
}
