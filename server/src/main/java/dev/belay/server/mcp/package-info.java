/// The front door of agents: the Model Context Protocol over HTTP.
@NullMarked
package dev.belay.server.mcp;

import org.jspecify.annotations.NullMarked;
