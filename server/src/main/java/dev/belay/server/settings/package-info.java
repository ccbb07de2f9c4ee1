/// What can be set of a server.
@NullMarked
package dev.belay.server.settings;

import org.jspecify.annotations.NullMarked;
