/// The command line of Belay.
@NullMarked
package dev.belay.cli;

import org.jspecify.annotations.NullMarked;
