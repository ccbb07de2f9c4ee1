package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/// Sessions on a [ScriptedHost]; what is left when it is closed fails the test.
final class Stage implements AutoCloseable {
    static final Duration LONG = Duration.ofSeconds(30);

    final ScriptedHost host = new ScriptedHost();
    final Recorder recorder = new Recorder();
    final Path state;
    final Sessions sessions;

    private Stage(Path state, Limits limits, SessionObserver... observers) {
        this.state = state;
        Sessions.Builder builder = Sessions.builder(host)
                .limits(limits)
                .environment(new Environment(Map.of("PATH", "/bin")))
                .state(state)
                .observer(recorder);
        for (SessionObserver observer : observers) {
            builder.observer(observer);
        }
        sessions = builder.build();
    }

    static Stage in(Path state) {
        return in(state, Limits.DEFAULT);
    }

    static Stage in(Path state, Limits limits, SessionObserver... observers) {
        return new Stage(state, limits, observers);
    }

    /// A session and the process behind it.
    record Act(Session session, ScriptedProcess process) {}

    Act open() {
        return open("a");
    }

    Act open(String id) {
        return open(SessionSpec.of("sh").id(id));
    }

    Act open(SessionSpec spec) {
        Session session = sessions.open(spec);
        return new Act(session, host.process(sessions.instance() + "/" + session.id()));
    }

    /// The folder with the logs.
    Path logs() {
        return state.resolve("sessions").resolve(sessions.instance());
    }

    @Override
    public void close() {
        sessions.close();
        assertThat(host.misuses()).isEmpty();
        assertThat(host.closed()).isTrue();
        assertThat(sessions.stats().permitsUsed()).isZero();
        assertThat(sessions.list()).isEmpty();
        assertThat(Folders.files(state.resolve("sessions"))).isEmpty();
    }
}
