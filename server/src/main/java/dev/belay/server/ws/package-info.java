/// The WebSocket front door: viewers over binary messages.
@NullMarked
package dev.belay.server.ws;

import org.jspecify.annotations.NullMarked;
