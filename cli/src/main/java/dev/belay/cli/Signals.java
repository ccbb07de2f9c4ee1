package dev.belay.cli;

import sun.misc.Signal;

/// The signals sent to this process that have a meaning to a session on its terminal.
///
/// A handler runs on a thread of its own; two of one signal may overlap.
final class Signals {
    private Signals() {}

    static void onInterrupt(Runnable handler) {
        on("INT", handler);
    }

    static void onWindowChange(Runnable handler) {
        on("WINCH", handler);
    }

    /// Asked to end, by a person at the terminal or by another program.
    static void onTerminate(Runnable handler) {
        on("INT", handler);
        on("TERM", handler);
    }

    static void onHangUp(Runnable handler) {
        on("HUP", handler);
    }

    /// Stopped processes are continued by this one.
    static void onContinue(Runnable handler) {
        on("CONT", handler);
    }

    /// One that this process was started to ignore stays ignored.
    private static void on(String name, Runnable handler) {
        Signal.handle(new Signal(name), _ -> handler.run());
    }
}
