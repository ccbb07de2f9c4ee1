/// What all front doors share on the wire: JSON, fields of a request, replies, header names.
@NullMarked
package dev.belay.server.wire;

import org.jspecify.annotations.NullMarked;
