/// The interface between the core and a host, which runs processes on terminals and pipes.
@NullMarked
package dev.belay.host;

import org.jspecify.annotations.NullMarked;
