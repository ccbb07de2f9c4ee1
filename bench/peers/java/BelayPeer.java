import dev.belay.Limits;
import dev.belay.OutputLog;
import dev.belay.ReadResult;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.linux.LinuxHost;
import dev.belay.screens.Screens;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Belay through its public API. All output is written to the log and read back from it.
final class BelayPeer implements Peer {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int READ_BYTES = 64 << 10;

    final Sessions sessions;
    private final Optional<Screens> screens;

    /// @param state   the state folder, on a disk as a user's would be
    /// @param screens whether sessions have screens, as on a server; nobody looks at them
    BelayPeer(Path state, boolean screens) {
        sessions = Sessions.builder(LinuxHost.inOwnProcess(Path.of("/")))
                .state(state)
                .limits(Limits.DEFAULT.maxSessions(5000))
                .build();
        this.screens = screens ? Optional.of(new Screens(sessions)) : Optional.empty();
    }

    @Override
    public Term start(On on, List<String> command) {
        SessionSpec spec = SessionSpec.of(command);
        return switch (on) {
            case PTY -> new Watched(sessions.open(spec));
            case BULK -> new Drained(sessions.open(spec.lossless(true)));
            case PIPE -> new Drained(sessions.open(spec.pipe().lossless(true)));
        };
    }

    @Override
    public void endAll(List<Term> terms) {
        sessions.closeAll();
    }

    @Override
    public void close() {
        screens.ifPresent(Screens::close);
        sessions.close();
    }

    private abstract static class BelayTerm implements Term {
        final Session session;
        private byte[] last = {};

        BelayTerm(Session session) {
            this.session = session;
        }

        int took(ReadResult result) throws IOException {
            return switch (result) {
                case ReadResult.Chunk chunk -> {
                    last = chunk.bytes();
                    yield last.length;
                }
                case ReadResult.Gap gap -> {
                    skipped(gap);
                    yield Math.toIntExact(gap.lostBytes());
                }
                case ReadResult.End _ -> 0;
            };
        }

        abstract void skipped(ReadResult.Gap gap) throws IOException;

        @Override
        public byte[] bytes() {
            return last;
        }

        @Override
        public void write(byte[] bytes) throws InterruptedException {
            session.write(bytes);
        }

        @Override
        public void awaitExit() throws Exception {
            session.awaitExit(LONG).orElseThrow();
        }

        @Override
        public void end() {
            session.close(true);
        }
    }

    /// Reads at its own offset. If it is too slow, it gets a gap, which counts as read.
    private static final class Watched extends BelayTerm {
        private final OutputLog log;
        private long at;

        Watched(Session session) {
            super(session);
            log = session.output();
        }

        @Override
        public int read() throws Exception {
            ReadResult result = log.read(at, READ_BYTES, LONG);
            at = result.next();
            return took(result);
        }

        @Override
        void skipped(ReadResult.Gap gap) {}
    }

    /// Drains a lossless session. A gap is an error.
    private static final class Drained extends BelayTerm {
        Drained(Session session) {
            super(session);
        }

        @Override
        public int read() throws Exception {
            return took(session.drainer().drain(READ_BYTES, LONG));
        }

        @Override
        void skipped(ReadResult.Gap gap) throws IOException {
            throw new IOException("lost " + gap);
        }
    }
}
