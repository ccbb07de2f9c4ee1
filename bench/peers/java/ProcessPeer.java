import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/// Children as Java `Process` objects: pty4j's, or the JDK's own on pipes. Their streams block, so reading from many
/// takes many threads.
final class ProcessPeer implements Peer {
    /// Starts a process, which may fail.
    interface Starter {
        Process start(String[] command) throws IOException;
    }

    private final Starter starter;

    ProcessPeer(Starter starter) {
        this.starter = starter;
    }

    static ProcessPeer ofTheJdk() {
        return new ProcessPeer(command ->
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start());
    }

    @Override
    public Term start(On on, List<String> command) throws IOException {
        return new ProcessTerm(starter.start(command.toArray(String[]::new)));
    }

    @Override
    public void endAll(List<Term> terms) throws Exception {
        for (Term term : terms) {
            ((ProcessTerm) term).process.destroyForcibly();
        }
        for (Term term : terms) {
            term.end();
        }
    }

    private static final class ProcessTerm implements Term {
        private static final long STACK_BYTES = 128 << 10;
        private final Process process;
        private final InputStream output;
        private final byte[] buffer = new byte[64 << 10];

        ProcessTerm(Process process) {
            this.process = process;
            this.output = process.getInputStream();
        }

        @Override
        public int read() throws IOException {
            return Math.max(0, output.read(buffer));
        }

        @Override
        public byte[] bytes() {
            return buffer;
        }

        @Override
        public void write(byte[] bytes) throws IOException {
            process.getOutputStream().write(bytes);
            process.getOutputStream().flush();
        }

        @Override
        public void awaitExit() throws Exception {
            while (read() > 0) {
                Thread.onSpinWait();
            }
            process.waitFor();
        }

        @Override
        public void standBy() {
            Thread.ofPlatform().daemon().stackSize(STACK_BYTES).start(() -> {
                try {
                    output.read();
                } catch (IOException _) {
                    // The end of a killed child.
                }
            });
        }

        @Override
        public void end() throws Exception {
            process.destroyForcibly();
            process.waitFor();
        }
    }
}
