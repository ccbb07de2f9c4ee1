package dev.belay.cli.args;

import dev.belay.cli.config.ByteSize;
import dev.belay.cli.config.TimeSpan;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What was written after a command. Reading a value that is wrong throws [UsageException].
public final class Arguments {
    private final Syntax syntax;
    private final Map<String, List<String>> options = new HashMap<>();
    private final List<String> words = new ArrayList<>();

    private Arguments(Syntax syntax) {
        this.syntax = syntax;
    }

    /// Reads the words after a command.
    public static Arguments parse(Syntax syntax, List<String> words) {
        Arguments given = new Arguments(syntax);
        int at = 0;
        while (at < words.size()) {
            String word = words.get(at++);
            if (word.equals("--")) {
                given.words.addAll(words.subList(at, words.size()));
                break;
            }
            if (!word.startsWith("-") || word.equals("-")) {
                given.words.add(word);
                if (syntax.rest()) {
                    given.words.addAll(words.subList(at, words.size()));
                    break;
                }
            } else {
                at = given.option(word, words, at);
            }
        }
        if (!given.help()) {
            given.check();
        }
        return given;
    }

    /// @return where the next word is
    private int option(String word, List<String> all, int next) {
        int equals = word.startsWith("--") ? word.indexOf('=') : -1;
        String name = equals < 0 ? word : word.substring(0, equals);
        Option option = syntax.options().stream()
                .filter(one -> one.names().contains(name))
                .findFirst()
                .orElseThrow(() -> new UsageException("unknown option '" + name + "'"
                        + Similar.suggestion(name, syntax.options().stream().map(Option::name).toList())));
        List<String> values = options.computeIfAbsent(option.name(), _ -> new ArrayList<>());
        if (!values.isEmpty() && !option.repeatable()) {
            throw new UsageException("option '" + name + "' was given twice");
        }
        if (option.isFlag()) {
            if (equals >= 0) {
                throw new UsageException("option '" + name + "' takes no value");
            }
            values.add("");
            return next;
        }
        if (equals >= 0) {
            values.add(word.substring(equals + 1));
            return next;
        }
        if (next >= all.size() || isOption(all.get(next))) {
            throw new UsageException("option '" + name + "' needs a value: " + name + " " + option.label());
        }
        values.add(all.get(next));
        return next + 1;
    }

    private boolean isOption(String word) {
        String name = word.startsWith("--") && word.contains("=") ? word.substring(0, word.indexOf('=')) : word;
        return word.equals("--") || syntax.options().stream().anyMatch(option -> option.names().contains(name));
    }

    private void check() {
        long least = 0;
        long most = 0;
        for (Parameter parameter : syntax.parameters()) {
            least += parameter.least();
            most += parameter.most();
            if (words.size() < least) {
                throw new UsageException(parameter.label() + " is missing");
            }
        }
        if (words.size() > most) {
            throw new UsageException("unexpected argument '" + words.get((int) most) + "'");
        }
    }

    boolean help() {
        return flag(Syntax.HELP.name());
    }

    public Syntax syntax() {
        return syntax;
    }

    public boolean flag(String option) {
        return options.containsKey(option);
    }

    /// The words that are not options.
    public List<String> words() {
        return List.copyOf(words);
    }

    /// A word that is not an option, or null.
    public @Nullable String word(int index) {
        return index < words.size() ? words.get(index) : null;
    }

    public List<String> texts(String option) {
        return List.copyOf(options.getOrDefault(option, List.of()));
    }

    public @Nullable String text(String option) {
        List<String> values = options.get(option);
        return values == null ? null : values.getLast();
    }

    public @Nullable Path path(String option) {
        return read(option, Path::of);
    }

    /// A time above zero.
    public @Nullable Duration time(String option) {
        return read(option, TimeSpan::parse);
    }

    public @Nullable Long size(String option) {
        return read(option, ByteSize::parse);
    }

    /// A whole number, not negative.
    public @Nullable Long number(String option) {
        return read(option, text -> {
            if (!text.chars().allMatch(c -> c >= '0' && c <= '9') || text.isEmpty() || text.length() > 18) {
                throw new IllegalArgumentException("'" + text + "' is not a whole number");
            }
            return Long.valueOf(text);
        });
    }

    private <T> @Nullable T read(String option, Function<String, T> reader) {
        String text = text(option);
        if (text == null) {
            return null;
        }
        try {
            return reader.apply(text);
        } catch (InvalidPathException e) {
            throw new UsageException(option + ": '" + text + "' is not a path", e);
        } catch (IllegalArgumentException e) {
            throw new UsageException(option + ": " + e.getMessage(), e);
        }
    }
}
