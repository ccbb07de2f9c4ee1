import java.io.IOException;
import java.util.List;

/// A runtime that is measured from Java. Every method except `start` may block.
interface Peer extends AutoCloseable {
    /// How a child is started.
    enum On {
        /// In an 80x24 terminal.
        PTY,
        /// The same, and every byte of output is read.
        BULK,
        /// With pipes, and every byte of output is read.
        PIPE
    }

    Term start(On on, List<String> command) throws IOException;

    /// Ends many children at once in the runtime's fastest way.
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

        /// The bytes of the last read, from index 0; valid until the next read.
        byte[] bytes();

        void write(byte[] bytes) throws Exception;

        /// Waits until the child has exited and its output is complete.
        void awaitExit() throws Exception;

        /// Does what the runtime needs to read output while nothing arrives: a thread if reads block.
        default void standBy() {}

        /// Kills the child and releases it.
        void end() throws Exception;
    }
}
