/// The settings file `belay.toml`.
@NullMarked
package dev.belay.cli.config;

import org.jspecify.annotations.NullMarked;
