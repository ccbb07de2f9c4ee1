import com.pty4j.PtyProcessBuilder;
import java.util.Map;

/// pty4j, apart from the rest, so that the rest compiles where it could not be fetched.
final class Pty4jPeer {
    private static final Map<String, String> ENVIRONMENT = System.getenv();

    private Pty4jPeer() {}

    static Peer create() {
        return new ProcessPeer(command -> new PtyProcessBuilder(command)
                .setEnvironment(ENVIRONMENT)
                .setInitialColumns(80)
                .setInitialRows(24)
                .start());
    }
}
