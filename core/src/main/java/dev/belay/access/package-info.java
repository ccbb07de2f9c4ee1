/// Who may see, drive and open sessions: one gate for every way in.
///
/// Start at [dev.belay.access.Gate].
@NullMarked
package dev.belay.access;

import org.jspecify.annotations.NullMarked;
