package dev.belay;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// An observer that records events as lines such as `opened a`.
final class Recorder implements SessionObserver {
    private final List<String> lines = new ArrayList<>();

    @Override
    public void opened(SessionRecord session) {
        note("opened " + session.id());
    }

    @Override
    public void output(String owner, String id, long end) {
        note("output " + id + " " + end);
    }

    @Override
    public void exited(SessionRecord session) {
        note("exited " + session.id() + " " + session.endReason());
    }

    @Override
    public void closed(SessionRecord session) {
        note("closed " + session.id());
    }

    @Override
    public void typed(String owner, String id, Actor by, long bytes) {
        note("typed " + id + " " + bytes);
    }

    @Override
    public void rejected(SessionSpec spec, ErrorCode code, String message) {
        note("rejected " + code);
    }

    @Override
    public void leaked(String what) {
        note("leaked " + what);
    }

    private synchronized void note(String line) {
        lines.add(line);
        notifyAll();
    }

    synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    List<String> lines(String start) {
        return lines().stream().filter(line -> line.startsWith(start)).toList();
    }

    /// Returns when a line with this beginning has been recorded.
    void await(String start) throws InterruptedException {
        await(all -> all.stream().anyMatch(line -> line.startsWith(start)));
    }

    /// Returns when the recorded lines meet the condition.
    synchronized void await(Predicate<List<String>> enough) throws InterruptedException {
        Deadline deadline = Deadline.in(java.time.Duration.ofSeconds(30));
        while (!enough.test(lines)) {
            if (deadline.passed()) {
                throw new AssertionError("not heard in time; heard: " + lines);
            }
            wait(1000);
        }
    }
}
