/// The web console as the build leaves it: paths and the bytes behind them.
@NullMarked
package dev.belay.console;

import org.jspecify.annotations.NullMarked;
