/// The agent tools in the Model Context Protocol. [dev.belay.mcp.Conversation] is the protocol with one client,
/// [dev.belay.mcp.StdioServer] carries it over standard input and output; the server carries it over HTTP,
/// and [dev.belay.mcp.Bridge] is a client of that.
@NullMarked
package dev.belay.mcp;

import org.jspecify.annotations.NullMarked;
