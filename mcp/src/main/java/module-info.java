/// The agent tools in the Model Context Protocol, for any transport.
module dev.belay.mcp {
    requires transitive dev.belay.agent;
    requires transitive tools.jackson.databind;
    requires java.net.http;
    requires static org.jspecify;

    exports dev.belay.mcp;
}
