package dev.belay.cli.config;

import dev.belay.Nearest;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// The names of all [Settings] and their tables.
final class SettingNames {
    private static final Map<String, Group> GROUPS = new LinkedHashMap<>();
    private static final Map<String, Setting<?>> SETTINGS = new LinkedHashMap<>();

    static {
        for (Group group : Settings.GROUPS) {
            GROUPS.put(group.name(), group);
            group.settings().forEach(setting -> SETTINGS.put(setting.name(), setting));
        }
    }

    private SettingNames() {}

    static Collection<Setting<?>> all() {
        return SETTINGS.values();
    }

    static boolean isSetting(String name) {
        return SETTINGS.containsKey(name);
    }

    static boolean isTable(String name) {
        return GROUPS.containsKey(name);
    }

    static boolean isList(String name) {
        Group group = GROUPS.get(name);
        return group != null && group.list();
    }

    /// The setting or table that was probably meant: the same key in another table, or the closest name.
    static Optional<String> nearest(String name) {
        String key = name.substring(name.lastIndexOf('.') + 1);
        TreeSet<String> all = new TreeSet<>(SETTINGS.keySet());
        all.addAll(GROUPS.keySet());
        return all.stream()
                .filter(one -> one.endsWith("." + key))
                .findFirst()
                .or(() -> Nearest.of(name, all));
    }
}
