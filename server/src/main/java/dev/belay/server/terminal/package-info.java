/// Terminals in other people's pages: events over Socket.IO.
@NullMarked
package dev.belay.server.terminal;

import org.jspecify.annotations.NullMarked;
