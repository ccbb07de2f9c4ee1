package dev.belay.socketio;

/// The log of this module. What clients send is never in it.
final class Log {
    static final System.Logger LOG = System.getLogger("dev.belay.socketio");

    private Log() {}
}
