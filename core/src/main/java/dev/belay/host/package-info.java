/// What a host gives to the core: processes on a terminal or on pipes.
@NullMarked
package dev.belay.host;

import org.jspecify.annotations.NullMarked;
