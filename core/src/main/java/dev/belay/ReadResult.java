package dev.belay;

/// What a read of the log returns: bytes, a gap, or the end.
public sealed interface ReadResult {
    /// The offset to read from next.
    long next();

    /// Bytes of one outlet; empty if there is nothing to read yet. The array is the reader's own.
    @SuppressWarnings("ArrayRecordComponent")
    record Chunk(long offset, byte[] bytes, Outlet outlet) implements ReadResult {
        @Override
        public long next() {
            return offset + bytes.length;
        }
    }

    /// Bytes that cannot be read. They are reported, never left out silently.
    record Gap(long offset, long lostBytes, Reason reason) implements ReadResult {
        @Override
        public long next() {
            return offset + lostBytes;
        }

        /// Why bytes cannot be read.
        public enum Reason {
            /// They were dropped to keep the log within its byte budget.
            DROPPED,
            /// The disk was full, or refused them.
            DISK_FULL,
            /// They were printed while somebody had the keyboard privately.
            PRIVATE
        }
    }

    /// Nothing more will come: the leader is dead and no process holds the terminal or a pipe.
    record End(long offset, ExitStatus exit) implements ReadResult {
        @Override
        public long next() {
            return offset;
        }
    }
}
