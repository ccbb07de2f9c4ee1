/// A Socket.IO server on Jetty: Engine.IO protocol 4, Socket.IO protocol 5. It knows nothing about terminals.
module dev.belay.socketio {
    requires transitive org.eclipse.jetty.server;
    requires org.eclipse.jetty.websocket.core.server;
    requires transitive tools.jackson.databind;
    requires static transitive org.jspecify;

    exports dev.belay.socketio;
}
