/// Sessions for agents and people: open, drive, read, wait for and close them without losing a byte or a process.
///
/// Start at [dev.belay.Sessions].
@NullMarked
package dev.belay;

import org.jspecify.annotations.NullMarked;
