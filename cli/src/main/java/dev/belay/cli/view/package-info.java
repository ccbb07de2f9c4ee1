/// How facts look on a terminal: words, tables, and the picture of `belay top`. Nothing here does I/O.
@NullMarked
package dev.belay.cli.view;

import org.jspecify.annotations.NullMarked;
