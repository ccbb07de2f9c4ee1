package dev.belay.cli.config;

import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One row of the table of [Settings].
///
/// @param name    its full name: `server.http.body_timeout`
/// @param value   reads its value from a configuration; null if it is not set
/// @param example what to show, in TOML, if there is no default to show; else empty
/// @param unset   what happens if it is left out and there is no default to show; else empty
/// @param restart whether a running server needs a restart to use a new value
/// @param help    what it does
record Setting<T>(
        String name,
        Kind<T> kind,
        Function<Config, @Nullable T> value,
        String example,
        String unset,
        boolean restart,
        String help) {
    /// The last part of its name.
    String key() {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /// The value without a file; null if there is none.
    @Nullable T standard() {
        return value.apply(Config.DEFAULT);
    }

    /// The default, or the example, in TOML.
    String shown() {
        return example.isEmpty() ? kind.write().apply(Objects.requireNonNull(standard(), name)) : example;
    }

    /// Whether two configurations have different values for it.
    boolean differs(Config one, Config other) {
        return !Objects.equals(value.apply(one), value.apply(other));
    }

    @Override
    public String toString() {
        return name;
    }
}
