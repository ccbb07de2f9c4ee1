package dev.belay.cli.config;

import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.SessionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/// A settings file, or one entry of a list in it. An unknown name is an error. Every error begins with file, line and
/// column.
final class Table {
    private final String file;
    private final TomlTable toml;
    /// Its place in the file; null for the file itself.
    private final @Nullable TomlPosition at;
    /// The name of its group, with which the names of its settings begin. Empty for the file.
    private final String group;
    /// The name of the group in errors. A principal's quota has the group `quota`, but is at `principals.quota`.
    private final String label;

    private Table(String file, TomlTable toml, @Nullable TomlPosition at, String group, String label) {
        this.file = file;
        this.toml = toml;
        this.at = at;
        this.group = group;
        this.label = label;
        check(group, toml);
    }

    /// @param file the name of the file in errors
    static Table parse(String text, String file) {
        TomlParseResult parsed = Toml.parse(text);
        if (parsed.hasErrors()) {
            TomlParseError error = parsed.errors().getFirst();
            String message = String.valueOf(error.getMessage()).lines().findFirst().orElse("not TOML");
            throw error(file, error.position(), message);
        }
        return new Table(file, parsed, null, "", "");
    }

    private void check(String name, TomlTable table) {
        for (String key : table.keySet()) {
            String full = name.isEmpty() ? key : name + "." + key;
            Object value = table.get(List.of(key));
            TomlPosition place = table.inputPositionOf(List.of(key));
            if (SettingNames.isSetting(full)) {
                continue;
            }
            if (!SettingNames.isTable(full)) {
                throw error(file, place,
                        "unknown setting " + Quoted.of(label + full.substring(group.length()))
                                + SettingNames.nearest(full)
                                        .map(near -> "; did you mean '" + near + "'?")
                                        .orElse("; 'belay serve --print-config' lists them all"));
            }
            if (SettingNames.isList(full)) {
                continue;
            }
            if (!(value instanceof TomlTable inner)) {
                throw error(file, place, full + " must be a table, [" + full + "]");
            }
            check(full, inner);
        }
    }

    // --- values ---

    <T> Optional<T> find(Setting<T> setting) {
        Object value = toml.get(path(setting.name()));
        if (value == null) {
            return Optional.empty();
        }
        T read = setting.kind().read().apply(value);
        if (read == null) {
            String found = switch (value) {
                case TomlTable _ -> "";
                case TomlArray array -> ", not " + array.toJson().replaceAll("\\s+", "");
                case String text -> ", not " + Quoted.of(text);
                default -> ", not " + value;
            };
            throw error(setting, "must be " + setting.kind().expected() + found);
        }
        return Optional.of(read);
    }

    /// The value in the file, or the default.
    <T> T get(Setting<T> setting) {
        return find(setting).orElseGet(() -> Objects.requireNonNull(setting.standard(), setting.name()));
    }

    int bytes(Setting<Long> setting) {
        return Math.toIntExact(get(setting));
    }

    <T> T require(Setting<T> setting) {
        return find(setting).orElseThrow(() -> error(setting, "is missing"));
    }

    /// A table inside this one that has the keys of another group.
    Optional<Table> table(Setting<TomlTable> setting, String same) {
        return find(setting).map(table -> new Table(file, table, place(setting), same, label(setting)));
    }

    /// The tables of a list.
    List<Table> tables(String list) {
        Object value = toml.get(path(list));
        List<Table> tables = new ArrayList<>();
        if (value != null) {
            TomlPosition place = toml.inputPositionOf(path(list));
            if (!(value instanceof TomlArray array)) {
                throw error(file, place, list + " must be a list of tables, [[" + list + "]]");
            }
            for (int i = 0; i < array.size(); i++) {
                if (!(array.get(i) instanceof TomlTable table)) {
                    throw error(file, place, list + " must be a list of tables, [[" + list + "]]");
                }
                tables.add(new Table(file, table, array.inputPositionOf(i), list, list));
            }
        }
        return tables;
    }

    private List<String> path(String name) {
        return List.of((group.isEmpty() ? name : name.substring(group.length() + 1)).split("\\.", -1));
    }

    // --- errors ---

    /// An error about a setting: `belay.toml:3:1: sessions.retention ...`.
    SessionException error(Setting<?> setting, String message) {
        return error(file, place(setting), label(setting) + " " + message);
    }

    /// An error about a setting whose value was refused elsewhere.
    SessionException refused(Setting<?> setting, SessionException why) {
        return error(file, place(setting), label(setting) + ": " + why.getMessage());
    }

    private String label(Setting<?> setting) {
        return label + setting.name().substring(group.length());
    }

    private @Nullable TomlPosition place(Setting<?> setting) {
        TomlPosition place = toml.inputPositionOf(path(setting.name()));
        return place == null ? at : place;
    }

    private static SessionException error(String file, @Nullable TomlPosition at, String message) {
        String place = at == null ? file : file + ":" + at.line() + ":" + at.column();
        return new SessionException(
                ErrorCode.INVALID_REQUEST, place + ": " + message + (message.matches("(?s).*[.?]") ? "" : "."));
    }
}
