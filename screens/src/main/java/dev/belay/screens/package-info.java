/// The screens of sessions: looks, waits, repaints, searches, and answers to what programs ask their terminal.
///
/// Start at [dev.belay.screens.Screens].
@NullMarked
package dev.belay.screens;

import org.jspecify.annotations.NullMarked;
