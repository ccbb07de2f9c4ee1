/// Viewers of sessions, whatever connection they come by: offsets, windows, gaps, one sender each.
@NullMarked
package dev.belay.server.attach;

import org.jspecify.annotations.NullMarked;
