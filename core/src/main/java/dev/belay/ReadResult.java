package dev.belay;

/// What a read of the log gives: bytes, a gap, or the end.
public sealed interface ReadResult {
    /// The offset to read from next.
    long next();

    /// Bytes of one outlet. No bytes: there is nothing to read yet. The array is the reader's own.
    @SuppressWarnings("ArrayRecordComponent")
    record Chunk(long offset, byte[] bytes, Outlet outlet) implements ReadResult {
        @Override
        public long next() {
            return offset + bytes.length;
        }
    }

    /// Bytes that cannot be read, said rather than left out silently.
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

    /// Nothing more will ever come: the leader is dead and nobody holds the terminal or a pipe any more.
    record End(long offset, ExitStatus exit) implements ReadResult {
        @Override
        public long next() {
            return offset;
        }
    }
}
