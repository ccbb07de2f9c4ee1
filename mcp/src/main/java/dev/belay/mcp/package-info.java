/// The agent tools in the Model Context Protocol. [dev.belay.mcp.Conversation] is the protocol with one client,
/// [dev.belay.mcp.StdioServer] carries it over standard input and output.
@NullMarked
package dev.belay.mcp;

import org.jspecify.annotations.NullMarked;
