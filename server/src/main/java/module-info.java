/// The server: sessions over HTTP, WebSocket and Socket.IO, for principals with tokens. It never names a host.
module dev.belay.server {
    requires transitive dev.belay.core;
    requires transitive dev.belay.mcp;
    requires transitive dev.belay.screens;
    requires transitive org.eclipse.jetty.server;
    requires org.eclipse.jetty.websocket.core.common;
    requires org.eclipse.jetty.websocket.server;
    requires dev.belay.console;
    requires dev.belay.socketio;
    requires transitive tools.jackson.databind;
    requires io.prometheus.metrics.core;
    requires io.prometheus.metrics.model;
    requires io.prometheus.writer.text;
    requires io.prometheus.metrics.instrumentation.jvm;
    requires static org.jspecify;

    exports dev.belay.server;
    exports dev.belay.server.attach;
    exports dev.belay.server.auth;
    exports dev.belay.server.feed;
    exports dev.belay.server.logs;
    exports dev.belay.server.mcp;
    exports dev.belay.server.metrics;
    exports dev.belay.server.settings;
    exports dev.belay.server.terminal;
    exports dev.belay.server.wire;
    // Jetty calls the methods of a WebSocket through a public lookup.
    exports dev.belay.server.ws;
}
