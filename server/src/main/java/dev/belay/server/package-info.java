/// The server: one port, every front door a thin layer over the same sessions.
@NullMarked
package dev.belay.server;

import org.jspecify.annotations.NullMarked;
