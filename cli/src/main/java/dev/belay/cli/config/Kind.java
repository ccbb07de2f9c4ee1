package dev.belay.cli.config;

import dev.belay.Network;
import dev.belay.SessionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlArray;
import org.tomlj.TomlTable;

/// What a setting accepts.
///
/// @param expected completes "must be ...": `a whole number from 0 to 65535`
/// @param read     converts a TOML value; null if it has another type or is out of bounds
/// @param write    converts a value to TOML
record Kind<T>(String expected, Function<Object, @Nullable T> read, Function<T, String> write) {
    static final Kind<Boolean> FLAG = new Kind<>("true or false", as(Boolean.class), String::valueOf);
    static final Kind<String> TEXT = new Kind<>("a string in quotes", as(String.class), Kind::quoted);
    static final Kind<List<String>> TEXTS = new Kind<>("a list of strings, [\"a\", \"b\"]", Kind::texts, Kind::list);
    private static final String HOST = "([A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*|\\[[0-9A-Fa-f:.]+])(:[0-9]{1,5})?";
    /// As clients send them in `Host`.
    static final Kind<List<String>> HOSTS = listOf(
            HOST, "a list of names with their port, [\"box.example:10000\"] (not '*': name each)");
    /// Exactly as browsers send them in `Origin`: any other form would never match.
    static final Kind<List<String>> ORIGINS = listOf(
            "[a-z][a-z0-9+.-]*://(?![^/]*[A-Z])" + HOST,
            "a list of origins as browsers send them, in lower case and without a path, [\"https://app.example\"]"
                    + " (not '*': name each)");
    /// Files and folders.
    static final Kind<List<String>> PATHS =
            listOf("(~/|/).*", "a list of absolute paths, [\"~/.m2\", \"/opt/tools\"]");
    static final Kind<Network> NETWORK =
            new Kind<>("\"off\", \"on\" or a list of hosts, [\"github.com\", \"*.npmjs.org:443\"]", Kind::network,
                    Kind::written);
    static final Kind<Map<String, String>> VARIABLES =
            new Kind<>("a table of strings, { NAME = \"value\" }", Kind::variables, Kind::table);
    static final Kind<Duration> ANY_TIME = time(Duration.ZERO);
    static final Kind<Duration> POSITIVE_TIME = time(Duration.ofMillis(1));
    static final Kind<Optional<Duration>> TIME_OR_NONE = new Kind<>(
            "\"none\" or " + POSITIVE_TIME.expected,
            toml -> {
                Duration time = POSITIVE_TIME.read.apply(toml);
                return time != null || toml.equals("none") ? Optional.ofNullable(time) : null;
            },
            time -> time.map(POSITIVE_TIME.write).orElse("\"none\""));

    /// Texts that all match a pattern.
    private static Kind<List<String>> listOf(String pattern, String expected) {
        return new Kind<>(expected, toml -> {
            List<String> texts = texts(toml);
            return texts != null && texts.stream().allMatch(text -> text.matches(pattern)) ? texts : null;
        }, Kind::list);
    }

    /// One of a few words.
    static Kind<String> word(String... words) {
        List<String> all = List.of(words);
        return new Kind<>(alternatives(all), toml -> all.contains(toml) ? (String) toml : null, Kind::quoted);
    }

    /// A list of a few words.
    static Kind<List<String>> words(String... words) {
        List<String> all = List.of(words);
        return new Kind<>("a list of " + alternatives(all), toml -> {
            List<String> given = texts(toml);
            return given != null && all.containsAll(given) ? given : null;
        }, Kind::list);
    }

    static Kind<Integer> count(int least, int most) {
        return new Kind<>(
                "a whole number" + bounds(least, most == Integer.MAX_VALUE ? "" : Integer.toString(most)),
                toml -> toml instanceof Long n && n >= least && n <= most ? (Integer) n.intValue() : null,
                String::valueOf);
    }

    /// A time as a whole number of milliseconds.
    static Kind<Duration> millis(int least) {
        Kind<Integer> count = count(least, Integer.MAX_VALUE);
        return new Kind<>(count.expected + " (milliseconds)", toml -> {
            Integer millis = count.read.apply(toml);
            return millis == null ? null : Duration.ofMillis(millis);
        }, time -> Long.toString(time.toMillis()));
    }

    static Kind<Double> decimal(double least) {
        return new Kind<>(
                "a number" + bounds(least, ""),
                toml -> toml instanceof Number n && n.doubleValue() >= least ? (Double) n.doubleValue() : null,
                String::valueOf);
    }

    /// A number of bytes.
    static Kind<Long> size(long least, long most) {
        return new Kind<>(
                "a size such as 65536 or \"64 KiB\""
                        + bounds(ByteSize.text(least), most == Long.MAX_VALUE ? "" : ByteSize.text(most)),
                toml -> within(bytes(toml), least, most),
                size -> size % 1024 != 0 || size == 0 ? size.toString() : quoted(ByteSize.text(size)));
    }

    static Kind<Duration> time(Duration least) {
        return new Kind<>(
                "a time such as \"500ms\", \"30s\" or \"1h30m\""
                        + (least.isZero() ? "" : bounds(TimeSpan.text(least), "")),
                toml -> within(time(toml), least, TimeSpan.MAX),
                time -> quoted(TimeSpan.text(time)));
    }

    /// A table with the keys of another group.
    static Kind<TomlTable> sameAs(String group) {
        return new Kind<>("a table with the keys of [" + group + "]", as(TomlTable.class), TomlTable::toToml);
    }

    // --- from TOML ---

    private static <T> Function<Object, @Nullable T> as(Class<T> type) {
        return toml -> type.isInstance(toml) ? type.cast(toml) : null;
    }

    private static <N extends Comparable<N>> @Nullable N within(@Nullable N value, N least, N most) {
        return value != null && value.compareTo(least) >= 0 && value.compareTo(most) <= 0 ? value : null;
    }

    private static @Nullable Long bytes(Object toml) {
        try {
            return toml instanceof String text ? (Long) ByteSize.parse(text) : toml instanceof Long n ? n : null;
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    private static @Nullable Duration time(Object toml) {
        try {
            return toml instanceof String text ? TimeSpan.parseOrZero(text) : null;
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    private static @Nullable List<String> texts(Object toml) {
        if (!(toml instanceof TomlArray array)) {
            return null;
        }
        List<String> texts = new ArrayList<>();
        for (Object item : array.toList()) {
            if (!(item instanceof String text)) {
                return null;
            }
            texts.add(text);
        }
        return texts;
    }

    private static @Nullable Network network(Object toml) {
        if (toml.equals("off")) {
            return new Network.Off();
        }
        List<String> hosts = texts(toml);
        try {
            return toml.equals("on") ? new Network.On() : hosts == null ? null : new Network.Hosts(hosts);
        } catch (SessionException _) {
            return null;
        }
    }

    private static String written(Network network) {
        return network instanceof Network.Hosts hosts ? list(hosts.names()) : quoted(network.label());
    }

    private static @Nullable Map<String, String> variables(Object toml) {
        if (!(toml instanceof TomlTable table)) {
            return null;
        }
        Map<String, String> variables = new LinkedHashMap<>();
        for (String name : table.keySet()) {
            if (!(table.get(List.of(name)) instanceof String text)) {
                return null;
            }
            variables.put(name, text);
        }
        return variables;
    }

    // --- to TOML and into words ---

    private static String bounds(Object least, String most) {
        return most.isEmpty() ? ", at least " + least : ", from " + least + " to " + most;
    }

    private static String alternatives(List<String> words) {
        int last = words.size() - 1;
        return words.subList(0, last).stream().map(Kind::quoted).collect(Collectors.joining(", ")) + " or "
                + quoted(words.get(last));
    }

    private static String list(List<String> texts) {
        return texts.stream().map(Kind::quoted).collect(Collectors.joining(", ", "[", "]"));
    }

    private static String table(Map<String, String> variables) {
        return variables.entrySet().stream()
                .map(one -> one.getKey() + " = " + quoted(one.getValue()))
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
