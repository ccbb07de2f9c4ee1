package dev.belay;

import dev.belay.host.Host;
import dev.belay.host.Launch;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/// A host whose processes do only what the test tells them to.
///
/// It is strict: if the core misuses it, it throws and records that in [#misuses()].
final class ScriptedHost implements Host {
    private final Map<String, ScriptedProcess> processes = new ConcurrentHashMap<>();
    private final Map<String, ScriptedProcess> newest = new ConcurrentHashMap<>();
    private final List<String> misuses = new CopyOnWriteArrayList<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile Consumer<Launch> onSpawn = _ -> {};
    private volatile Consumer<ScriptedProcess> onStart = _ -> {};

    /// Runs within every spawn from now on; it may wait or throw.
    void onSpawn(Consumer<Launch> step) {
        onSpawn = step;
    }

    /// Runs at the end of every start from now on; it may wait or throw.
    void onStart(Consumer<ScriptedProcess> step) {
        onStart = step;
    }

    void started(ScriptedProcess process) {
        onStart.accept(process);
    }

    @Override
    public Path workspace() {
        return Path.of("/workspace");
    }

    @Override
    public ScriptedProcess spawn(Launch launch) {
        if (closed.get()) {
            throw misuse("spawn after close");
        }
        onSpawn.accept(launch);
        ScriptedProcess process = new ScriptedProcess(this, launch);
        processes.put(launch.mark(), process);
        newest.put(launch.mark().substring(0, launch.mark().lastIndexOf('/')), process);
        return process;
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            throw misuse("closed twice");
        }
        for (ScriptedProcess process : processes.values()) {
            if (process.lives() && !process.refusesToEnd()) {
                throw misuse("closed while " + process + " lives");
            }
        }
    }

    boolean closed() {
        return closed.get();
    }

    /// The process of a session by its identity, or the newest one of `instance/id`.
    ScriptedProcess process(String mark) {
        ScriptedProcess process = processes.getOrDefault(mark, newest.get(mark));
        if (process == null) {
            throw new AssertionError("nothing was spawned for " + mark);
        }
        return process;
    }

    long living() {
        return processes.values().stream().filter(ScriptedProcess::lives).count();
    }

    List<String> misuses() {
        return misuses;
    }

    AssertionError misuse(String what) {
        misuses.add(what);
        return new AssertionError("misuse of the host: " + what);
    }
}
