package dev.belay.linux;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The settings of a Git repository, as its `config` file has them. Includes are not read.
record GitConfig(List<Entry> entries) {
    /// One setting.
    ///
    /// @param section in lower case
    /// @param part    the name in quotes behind the section; empty if there is none
    /// @param name    in lower case
    record Entry(String section, String part, String name, String value) {
        private boolean sameSection(Entry other) {
            return section.equals(other.section) && part.equals(other.part);
        }

        private String header() {
            return part.isEmpty() ? "[" + section + "]" : "[" + section + " \"" + escaped(part) + "\"]";
        }

        private String line() {
            return "\t" + name + " = \"" + escaped(value) + "\"\n";
        }

        private static String escaped(String text) {
            return text.replace("\\", "\\\\").replace("\"", "\\\"");
        }
    }

    private static final Pattern HEADER =
            Pattern.compile("\\[([-.A-Za-z0-9]+)(?:[ \\t]+\"((?:[^\"\\\\]|\\\\.)*)\")?]");
    private static final Pattern NAME = Pattern.compile("[A-Za-z][-A-Za-z0-9]*");
    private static final int MAX_VALUE = 1000;
    private static final int MAX_IMPORTED = 200;

    // --- what a session may add ---

    private static final Predicate<String> REMOTE = matches("[A-Za-z0-9_][A-Za-z0-9._-]{0,199}");
    /// Of a host. A folder, or a helper such as `ext::`, could run programs.
    private static final Predicate<String> URL = matches("(?:https?|ssh|git)://[^\\s:/-][^\\s]*"
            + "|[A-Za-z0-9._-]+@[A-Za-z0-9][A-Za-z0-9.-]*:(?!:)[^\\s-][^\\s]*");
    private static final Pattern FETCH = Pattern.compile("\\+?refs/[^\\s:]*:refs/remotes/([^\\s:]+)");
    private static final Predicate<String> NAME_OF_A_USER = matches("[\\p{L}\\p{N} .,'@_+-]{1,200}");
    private static final Map<String, Predicate<String>> OF_A_BRANCH = Map.of(
            "merge", matches("refs/[^\\s]+"),
            "rebase", matches("true|false|merges|interactive"),
            "description", _ -> true);

    private static Predicate<String> matches(String pattern) {
        return Pattern.compile(pattern).asMatchPredicate();
    }

    static GitConfig parse(String text) {
        List<Entry> entries = new ArrayList<>();
        String section = "";
        String part = "";
        for (String line : text.replace("\r\n", "\n").replace("\\\n", "").split("\n", -1)) {
            String rest = line.strip();
            Matcher header = HEADER.matcher(rest);
            if (header.lookingAt()) {
                String name = header.group(1).toLowerCase(Locale.ROOT);
                String quoted = header.group(2);
                int dot = name.indexOf('.');
                section = quoted == null && dot >= 0 ? name.substring(0, dot) : name;
                part = quoted != null ? quoted.replaceAll("\\\\(.)", "$1") : dot >= 0 ? name.substring(dot + 1) : "";
                rest = rest.substring(header.end()).strip();
            }
            Matcher name = NAME.matcher(rest);
            if (name.lookingAt()) {
                String behind = rest.substring(name.end()).strip();
                // A name alone means yes.
                String value = behind.startsWith("=") ? value(behind.substring(1).strip()) : "true";
                entries.add(new Entry(section, part, name.group().toLowerCase(Locale.ROOT), value));
            }
        }
        return new GitConfig(entries);
    }

    private static String value(String text) {
        StringBuilder value = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (c == '\\' && i + 1 < text.length()) {
                char next = text.charAt(++i);
                value.append(next == 'n' ? '\n' : next == 't' ? '\t' : next);
            } else if (!quoted && (c == '#' || c == ';')) {
                break;
            } else {
                value.append(c);
            }
        }
        return quoted ? value.toString() : value.toString().stripTrailing();
    }

    /// The values of a setting, in order.
    List<String> values(String section, String name) {
        return entries.stream()
                .filter(one -> one.section().equals(section) && one.name().equals(name))
                .map(Entry::value)
                .toList();
    }

    /// Text to append to a repository's settings: the remotes and branches that another file has and this one does not,
    /// and the name of a user if there is none. Nothing that makes Git run a program, and nothing that changes a
    /// remote, a branch or another setting that is there.
    ///
    /// @param named whether Git knows the user's name from elsewhere
    String additions(GitConfig other, boolean named) {
        Map<String, StringBuilder> sections = new LinkedHashMap<>();
        List<String> remotes =
                Stream.concat(entries.stream(), other.entries.stream().filter(one -> harmless(one, List.of())))
                        .filter(one -> one.section().equals("remote") && one.name().equals("url"))
                        .map(Entry::part)
                        .toList();
        other.entries.stream()
                .filter(one -> harmless(one, remotes))
                .filter(one -> entries.stream().noneMatch(one::sameSection))
                .filter(one -> !named || !one.section().equals("user"))
                .limit(MAX_IMPORTED)
                .forEach(one -> sections
                        .computeIfAbsent(one.header(), header -> new StringBuilder(header + "\n"))
                        .append(one.line()));
        return String.join("", sections.values());
    }

    /// @param remotes the remotes that a branch may belong to
    private static boolean harmless(Entry one, List<String> remotes) {
        if (one.value().length() > MAX_VALUE || one.part().length() > MAX_VALUE
                || (one.part() + one.value()).chars().anyMatch(Character::isISOControl)) {
            return false;
        }
        return switch (one.section()) {
            case "remote" -> REMOTE.test(one.part()) && switch (one.name()) {
                case "url" -> URL.test(one.value());
                case "fetch" -> {
                    Matcher fetch = FETCH.matcher(one.value());
                    yield fetch.matches() && fetch.group(1).startsWith(one.part() + "/");
                }
                default -> false;
            };
            // A remote that is not known would be taken for a folder.
            case "branch" -> !one.part().isEmpty() && (one.name().equals("remote")
                    ? remotes.contains(one.value()) || one.value().equals(".")
                    : OF_A_BRANCH.getOrDefault(one.name(), _ -> false).test(one.value()));
            case "user" -> one.part().isEmpty() && (one.name().equals("name") || one.name().equals("email"))
                    && NAME_OF_A_USER.test(one.value());
            default -> false;
        };
    }
}
