import com.pty4j.PtyProcessBuilder;
import java.util.Map;

/// pty4j. In its own file so that the rest compiles if it could not be fetched.
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
