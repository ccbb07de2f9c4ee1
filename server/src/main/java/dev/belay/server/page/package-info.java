/// The page at `/`.
@NullMarked
package dev.belay.server.page;

import org.jspecify.annotations.NullMarked;
