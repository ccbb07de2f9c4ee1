/// The contract of sessions as tests: extend [dev.belay.testkit.SessionContract] and name a host.
@NullMarked
package dev.belay.testkit;

import org.jspecify.annotations.NullMarked;
