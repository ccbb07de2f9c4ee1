package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/// Sessions on a [ScriptedHost]. Closing it fails the test if anything is left.
final class Stage implements AutoCloseable {
    static final Duration LONG = Duration.ofSeconds(30);

    final ScriptedHost host = new ScriptedHost();
    final Recorder recorder = new Recorder();
    final Path state;
    final Sessions sessions;

    private Stage(Path state, Limits limits, Time time, SessionObserver... observers) {
        this.state = state;
        Sessions.Builder builder = Sessions.builder(host)
                .limits(limits)
                .environment(new Environment(Map.of("PATH", "/bin")))
                .state(state)
                .time(time)
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
        return new Stage(state, limits, SystemTime.INSTANCE, observers);
    }

    /// With a time that the test moves.
    static Stage in(Path state, Limits limits, MovedTime time) {
        return new Stage(state, limits, time);
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
        return new Act(session, host.process(session.identity()));
    }

    static void isRefused(ErrorCode code, ThrowingCallable call) {
        assertThatExceptionOfType(SessionException.class)
                .isThrownBy(call)
                .extracting(SessionException::code)
                .isEqualTo(code);
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
