/// The command line: what can be written after each command, and reading it. Help comes from the same model.
@NullMarked
package dev.belay.cli.args;

import org.jspecify.annotations.NullMarked;
