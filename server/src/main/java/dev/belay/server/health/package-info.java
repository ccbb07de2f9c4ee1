/// How the server is.
@NullMarked
package dev.belay.server.health;

import org.jspecify.annotations.NullMarked;
