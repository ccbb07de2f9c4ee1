/// The Linux host. Start at [dev.belay.linux.LinuxHost].
@NullMarked
package dev.belay.linux;

import org.jspecify.annotations.NullMarked;
