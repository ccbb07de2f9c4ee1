package dev.belay.socketio;

/// This module's log. It never contains what clients send.
final class Log {
    static final System.Logger LOG = System.getLogger("dev.belay.socketio");

    private Log() {}
}
