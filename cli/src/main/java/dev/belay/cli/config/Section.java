package dev.belay.cli.config;

import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.SessionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlArray;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;
import picocli.CommandLine.TypeConversionException;

/// A table of the settings file, read key by key. It remembers which keys were asked for: whatever else stands in it is
/// an error, since it was meant to do something. Every error says the file, the line and the column.
///
/// To add a section, write a class with a method that takes one of these, asks for its keys and calls
/// [#requireNoMore()], and call it in [Config].
public final class Section {
    private final String file;
    private final String name;
    private final @Nullable TomlTable table;
    private final TreeSet<String> asked = new TreeSet<>();

    Section(String file, String name, @Nullable TomlTable table) {
        this.file = file;
        this.name = name;
        this.table = table;
    }

    /// Whether it stands in the file at all.
    public boolean present() {
        return table != null;
    }

    public Optional<String> text(String key) {
        return value(key, String.class, "a text in quotes");
    }

    public Optional<Boolean> flag(String key) {
        return value(key, Boolean.class, "true or false");
    }

    public Optional<Integer> count(String key, int least, int most) {
        return value(key, Long.class, "a whole number").map(value -> {
            if (value < least || value > most) {
                throw wrong(key, "a number from " + least + " to " + most + ", not " + value);
            }
            return (int) (long) value;
        });
    }

    /// A number that need not be whole.
    public Optional<Double> decimal(String key) {
        return value(key, Number.class, "a number").map(Number::doubleValue);
    }

    /// A number of bytes, as in `1048576`, `"512 KiB"` or `"8MiB"`.
    public Optional<Long> bytes(String key) {
        Object value = get(key);
        if (value == null) {
            return Optional.empty();
        }
        if (value instanceof Long count && count >= 0) {
            return Optional.of(count);
        }
        try {
            return Optional.of(ByteSize.parse(value instanceof String text ? text : ""));
        } catch (TypeConversionException _) {
            throw wrong(key, "a size such as 1048576, \"512 KiB\" or \"8 MiB\"");
        }
    }

    /// A time, as in `"30s"`, `"1h30m"`, `"500ms"`.
    public Optional<Duration> time(String key) {
        return value(key, String.class, "a time in quotes such as \"30s\"").map(text -> {
            try {
                return TimeSpan.parseOrZero(text);
            } catch (TypeConversionException _) {
                throw wrong(key, "a time such as \"500ms\", \"30s\", \"5m\", \"2h\", not " + Quoted.of(text));
            }
        });
    }

    /// A time that must be longer than zero.
    public Optional<Duration> positiveTime(String key) {
        return time(key).map(value -> {
            if (!value.isPositive()) {
                throw wrong(key, "a time longer than zero");
            }
            return value;
        });
    }

    /// A time, or null for `"none"`.
    public @Nullable Duration timeOrNone(String key, @Nullable Duration standard) {
        if (get(key) instanceof String text && text.equals("none")) {
            return null;
        }
        return positiveTime(key).orElse(standard);
    }

    public Optional<List<String>> texts(String key) {
        return value(key, TomlArray.class, "a list of texts").map(array -> {
            List<String> texts = new ArrayList<>();
            for (Object item : array.toList()) {
                if (!(item instanceof String text)) {
                    throw wrong(key, "a list of texts");
                }
                texts.add(text);
            }
            return texts;
        });
    }

    /// All keys of a table whose values are texts.
    public Map<String, String> map(String key) {
        Map<String, String> map = new LinkedHashMap<>();
        value(key, TomlTable.class, "a table of texts").ifPresent(values -> values.keySet().forEach(one -> {
            if (!(values.get(List.of(one)) instanceof String text)) {
                throw wrong(key, "a table of texts; " + Quoted.of(one) + " is none");
            }
            map.put(one, text);
        }));
        return map;
    }

    /// A table inside of this one; empty of keys if it does not stand there.
    public Section section(String key) {
        return new Section(file, path(key), value(key, TomlTable.class, "a table").orElse(null));
    }

    /// A list of tables.
    public List<Section> sections(String key) {
        List<Section> all = new ArrayList<>();
        value(key, TomlArray.class, "a list of tables, [[" + key + "]]").ifPresent(array -> {
            for (Object item : array.toList()) {
                if (!(item instanceof TomlTable one)) {
                    throw wrong(key, "a list of tables, [[" + path(key) + "]]");
                }
                all.add(new Section(file, path(key), one));
            }
        });
        return all;
    }

    /// All keys have been asked for.
    public void requireNoMore() {
        if (table == null) {
            return;
        }
        for (String key : table.keySet()) {
            if (!asked.contains(key)) {
                throw error(key, "there is no setting " + Quoted.of(path(key))
                        + (asked.isEmpty() ? "" : "; there are " + String.join(", ", asked)));
            }
        }
    }

    /// A refusal of a key's value: `belay.toml:3:1: sessions.retention is ...`.
    public SessionException wrong(String key, String expected) {
        return error(key, path(key) + " is " + expected);
    }

    /// A refusal of what was read by somebody else, at a key.
    public SessionException refused(String key, SessionException why) {
        return error(key, path(key) + ": " + why.getMessage());
    }

    private SessionException error(String key, String message) {
        TomlPosition at = table == null ? null : table.inputPositionOf(List.of(key));
        String place = at == null ? file : file + ":" + at.line() + ":" + at.column();
        return new SessionException(ErrorCode.INVALID_REQUEST, place + ": " + message + ".");
    }

    private <T> Optional<T> value(String key, Class<T> type, String expected) {
        Object value = get(key);
        if (value != null && !type.isInstance(value)) {
            throw wrong(key, expected);
        }
        return Optional.ofNullable(type.cast(value));
    }

    private @Nullable Object get(String key) {
        asked.add(key);
        return table == null ? null : table.get(List.of(key));
    }

    private String path(String key) {
        return name.isEmpty() ? key : name + "." + key;
    }
}
