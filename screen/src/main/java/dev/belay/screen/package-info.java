/// What a person would see of a program's output: rows, a cursor, a title.
///
/// Start at [dev.belay.screen.Screen]. [dev.belay.screen.Scanner] finds what a stream asks its terminal, without a
/// screen.
@NullMarked
package dev.belay.screen;

import org.jspecify.annotations.NullMarked;
