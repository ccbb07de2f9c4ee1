package dev.belay.cli.config;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The settings of one table of the file, in the order in which they are shown.
///
/// @param list whether there may be any number of such tables, `[[principals]]`
record Group(String name, boolean list, String help, List<Setting<?>> settings) {
    static Group table(String name, String help) {
        return new Group(name, false, help, new ArrayList<>());
    }

    static Group list(String name, String help) {
        return new Group(name, true, help, new ArrayList<>());
    }

    /// A setting that a reload changes.
    <T> Setting<T> live(String key, Kind<T> kind, Function<Config, @Nullable T> value, String help) {
        return add(key, kind, value, "", "", false, help);
    }

    /// A setting that needs a restart.
    <T> Setting<T> fixed(String key, Kind<T> kind, Function<Config, @Nullable T> value, String help) {
        return add(key, kind, value, "", "", true, help);
    }

    /// A setting without a default to show.
    <T> Setting<T> add(
            String key, Kind<T> kind, Function<Config, @Nullable T> value, String example, String unset,
            boolean restart, String help) {
        Setting<T> setting = new Setting<>(name + "." + key, kind, value, example, unset, restart, help);
        settings.add(setting);
        return setting;
    }
}
