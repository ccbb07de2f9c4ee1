/// What stands before every route: who may speak to this server at all, and how much and how slowly.
@NullMarked
package dev.belay.server.guard;

import org.jspecify.annotations.NullMarked;
