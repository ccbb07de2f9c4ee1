package dev.belay.cli;

import sun.misc.Signal;
import sun.misc.SignalHandler;

/// The signals that this process handles.
///
/// Each handler runs on its own thread; two handlers of the same signal may overlap.
final class Signals {
    private Signals() {}

    static void onInterrupt(Runnable handler) {
        on("INT", handler);
    }

    static void onWindowChange(Runnable handler) {
        on("WINCH", handler);
    }

    /// SIGINT or SIGTERM: a person or a program asks this process to end.
    static void onTerminate(Runnable handler) {
        on("INT", handler);
        on("TERM", handler);
    }

    /// Runs a handler when the terminal is gone, or an operator asks to read the settings again.
    ///
    /// @return false if this process was started with SIGHUP ignored, as `nohup` does: the handler is never called
    static boolean onHangUp(Runnable handler) {
        return on("HUP", handler);
    }

    /// SIGCONT: this process was stopped and continues.
    static void onContinue(Runnable handler) {
        on("CONT", handler);
    }

    /// A signal that this process was started to ignore stays ignored: the JVM registers no handler for it.
    private static boolean on(String name, Runnable handler) {
        return !SignalHandler.SIG_IGN.equals(Signal.handle(new Signal(name), _ -> handler.run()));
    }
}
