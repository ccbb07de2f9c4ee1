/// The REST front door.
@NullMarked
package dev.belay.server.rest;

import org.jspecify.annotations.NullMarked;
