package dev.belay.server.metrics;

import dev.belay.Approval;
import dev.belay.ApprovalListener;
import dev.belay.ErrorCode;
import dev.belay.SessionObserver;
import dev.belay.SessionRecord;
import dev.belay.SessionSpec;
import dev.belay.Time;
import dev.belay.server.attach.DetachReason;
import dev.belay.server.attach.RepaintReason;
import dev.belay.server.attach.ViewerStats;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/// What Prometheus asks for. Labels take their values from short fixed lists, so the number of series is bounded.
///
/// An observer of sessions and of viewers: give it to the [dev.belay.Sessions] before they are made, and to the server.
public final class ServerMetrics implements SessionObserver, ApprovalListener, ViewerStats {
    private static final double NANOS = 1e9;

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final AtomicBoolean jvm = new AtomicBoolean();
    /// When sessions were opened whose first byte has not come yet.
    private final Map<String, Instant> silent = new ConcurrentHashMap<>();

    private final Time time;
    private final Counter opened = counter("belay_sessions_opened", "Sessions opened");
    private final Counter closed = counter("belay_sessions_closed", "Sessions closed, by end reason", "reason");
    private final Counter rejected = counter("belay_sessions_rejected", "Sessions refused, by error code", "code");
    private final Counter leaks = counter("belay_leaks", "Things dropped without being closed; a bug if not zero");
    private final Counter approvals =
            counter("belay_approvals", "Programs that needed an approval or were refused, by outcome", "state");
    private final Counter checks =
            counter("belay_exec_checks", "Approved programs compared with the programs that ran, by outcome", "check");
    private final Counter viewersAttached = counter("belay_viewers_attached", "Viewers attached");
    private final Counter viewersParted = counter("belay_viewers_parted", "Viewers that left, by reason", "reason");
    private final Counter sentBytes = counter("belay_viewer_bytes", "Bytes of output sent to viewers");
    private final Counter gaps = counter("belay_viewer_gaps", "Gaps sent to viewers");
    private final Counter gapBytes = counter("belay_viewer_gap_bytes", "Bytes that viewers missed");
    private final Counter repaints = counter("belay_viewer_repaints", "Repaints sent to viewers, by reason", "reason");
    private final Counter repaintBytes = counter("belay_viewer_repaint_bytes", "Bytes of repaints sent to viewers");
    private final Histogram firstByte =
            histogram("belay_session_first_byte_seconds", "Time from opening a session to its first byte");
    private final Histogram echo =
            histogram("belay_viewer_echo_seconds", "Time from a viewer's input to the next output sent");

    public ServerMetrics() {
        this(Time.system());
    }

    /// @param time that of the sessions
    public ServerMetrics(Time time) {
        this.time = time;
    }

    // Exemplars are for traces, which Belay has none of. They would need a thread that a key wakes.

    private Counter counter(String name, String help, String... labels) {
        return Counter.builder().name(name).help(help).labelNames(labels).withoutExemplars().register(registry);
    }

    private Histogram histogram(String name, String help) {
        return Histogram.builder()
                .name(name)
                .help(help)
                .classicUpperBounds(.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10)
                .classicOnly()
                .withoutExemplars()
                .register(registry);
    }

    /// A number that is asked for when somebody looks.
    public void gauge(String name, String help, DoubleSupplier value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.getAsDouble()))
                .register(registry);
    }

    /// A count that is asked for when somebody looks.
    public void count(String name, String help, DoubleSupplier value) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.getAsDouble()))
                .register(registry);
    }

    /// Counts that are asked for when somebody looks, one for each constant.
    public <E extends Enum<E>> void count(String name, String help, String label, Supplier<Map<E, Long>> values) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(label)
                .callback(callback -> values.get()
                        .forEach((key, value) -> callback.call(value, key.name().toLowerCase(Locale.ROOT))))
                .register(registry);
    }

    /// Everything in Prometheus' text format.
    public byte[] text() throws IOException {
        if (jvm.compareAndSet(false, true)) {
            // Asked for late: it loads what a server that nobody scrapes does not need.
            JvmMetrics.builder().register(registry);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrometheusTextFormatWriter.create().write(out, registry.scrape());
        return out.toByteArray();
    }

    /// The type of [#text()].
    public static String type() {
        return PrometheusTextFormatWriter.CONTENT_TYPE;
    }

    // --- sessions ---

    @Override
    public void opened(SessionRecord session) {
        opened.inc();
        silent.put(session.id(), session.startedAt());
    }

    @Override
    public void output(String owner, String id, long end) {
        Instant since = silent.remove(id);
        if (since != null) {
            firstByte.observe(Duration.between(since, time.now()).toNanos() / NANOS);
        }
    }

    @Override
    public void closed(SessionRecord session) {
        silent.remove(session.id());
        closed.labelValues(session.endReason() == null ? "unknown" : session.endReason().label()).inc();
    }

    @Override
    public void rejected(SessionSpec spec, ErrorCode code, String message) {
        rejected(code);
    }

    /// A session was refused before the sessions themselves were asked.
    public void rejected(ErrorCode code) {
        rejected.labelValues(code.name().toLowerCase(Locale.ROOT)).inc();
    }

    @Override
    public void leaked(String what) {
        leaks.inc();
    }

    // --- approvals ---

    @Override
    public void closed(Approval approval) {
        approvals.labelValues(approval.state().label()).inc();
    }

    @Override
    public void denied(Approval approval) {
        approvals.labelValues(approval.state().label()).inc();
    }

    @Override
    public void checked(Approval approval, Approval.Check check) {
        checks.labelValues(check.label()).inc();
    }

    // --- viewers ---

    @Override
    public void attached() {
        viewersAttached.inc();
    }

    @Override
    public void detached(DetachReason why) {
        viewersParted.labelValues(why.label()).inc();
    }

    @Override
    public void sent(int bytes) {
        sentBytes.inc(bytes);
    }

    @Override
    public void echoed(long nanos) {
        echo.observe(nanos / NANOS);
    }

    @Override
    public void repainted(RepaintReason why, int bytes) {
        repaints.labelValues(why.label()).inc();
        repaintBytes.inc(bytes);
    }

    @Override
    public void gap(long lostBytes) {
        gaps.inc();
        gapBytes.inc(lostBytes);
    }
}
