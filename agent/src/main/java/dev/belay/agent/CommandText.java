package dev.belay.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A shell command as far as it can be read without running it: the simple commands of its lists, pipelines and
/// substitutions. A wrapper such as `sudo` or `env X=Y` is a command, and so is the one that it runs.
///
/// @param parts the simple commands, in the order of the text
public record CommandText(String text, List<Part> parts) {
    /// Substitutions, `sh -c` and wrappers within each other are read to this depth.
    private static final int MAX_DEPTH = 8;

    /// Programs that run the program they are given, with those of their options that take a value of their own.
    private static final Map<String, Set<String>> WRAPPERS = Map.ofEntries(
            Map.entry("sudo", Set.of("-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user",
                    "--group", "--host", "--prompt", "--chdir")),
            Map.entry("doas", Set.of("-u", "-C")),
            Map.entry("env", Set.of("-u", "-C", "--unset", "--chdir")),
            Map.entry("time", Set.of("-f", "-o")),
            Map.entry("nice", Set.of("-n")),
            Map.entry("ionice", Set.of("-c", "-n")),
            Map.entry("nohup", Set.of()),
            Map.entry("setsid", Set.of()),
            Map.entry("command", Set.of()),
            Map.entry("builtin", Set.of()),
            Map.entry("exec", Set.of("-a")),
            Map.entry("timeout", Set.of("-s", "-k", "--signal", "--kill-after")),
            Map.entry("stdbuf", Set.of("-i", "-o", "-e")),
            Map.entry("xargs", Set.of("-n", "-I", "-P", "-d", "-a", "-L", "-s", "-E")));
    private static final Set<String> SHELLS = Set.of("sh", "bash", "dash", "zsh", "ksh");
    private static final Set<String> SHELL_OPTIONS_WITH_VALUE =
            Set.of("-o", "+o", "-O", "+O", "--rcfile", "--init-file");
    /// Words of the shell's grammar behind which a command follows.
    private static final Set<String> KEYWORDS = Set.of("if", "then", "elif", "else", "while", "until", "do", "!", "{");
    /// Words of the grammar whose simple command names no program.
    private static final Set<String> HEADS = Set.of("for", "case", "select", "function", "fi", "done", "esac", "}");

    public CommandText {
        parts = List.copyOf(parts);
    }

    /// A simple command.
    ///
    /// @param program the name of the program, without its folder
    /// @param words   the program as it was written, and its arguments
    public record Part(String program, List<String> words) {
        public Part {
            words = List.copyOf(words);
        }
    }

    public static CommandText parse(String text) {
        List<Part> parts = new ArrayList<>();
        read(text, parts, 0);
        return new CommandText(text, parts);
    }

    private static void read(String text, List<Part> parts, int depth) {
        for (ShellWords.Simple simple : ShellWords.split(text)) {
            add(simple.words(), parts, depth);
            if (depth < MAX_DEPTH) {
                simple.substitutions().forEach(inner -> read(inner, parts, depth + 1));
            }
        }
    }

    /// Adds the program of a simple command, what it runs if it is a wrapper, and the script if it is a shell.
    private static void add(List<String> words, List<Part> parts, int depth) {
        int at = 0;
        int wrappers = 0;
        while (at < words.size() && !HEADS.contains(words.get(at))) {
            String word = words.get(at);
            if (KEYWORDS.contains(word) || isAssignment(word)) {
                at++;
                continue;
            }
            List<String> command = words.subList(at, words.size());
            String program = baseName(word);
            boolean wraps = WRAPPERS.containsKey(program);
            if (!wraps || wrappers++ < MAX_DEPTH) {
                parts.add(new Part(program, command));
            }
            if (!wraps) {
                if (SHELLS.contains(program) && depth < MAX_DEPTH) {
                    script(command).ifPresent(inner -> read(inner, parts, depth + 1));
                }
                return;
            }
            at = behind(words, at, program);
        }
    }

    /// The script that a shell is given with `-c`, which may stand among other options, as in `-lc`.
    private static Optional<String> script(List<String> words) {
        boolean given = false;
        for (int at = 1; at < words.size(); at++) {
            String word = words.get(at);
            if (SHELL_OPTIONS_WITH_VALUE.contains(word)) {
                at++;
            } else if (word.startsWith("-") || word.startsWith("+")) {
                given |= word.startsWith("-") && !word.startsWith("--") && word.indexOf('c') > 0;
            } else {
                return given ? Optional.of(word) : Optional.empty();
            }
        }
        return Optional.empty();
    }

    /// Where the command of a wrapper begins, behind its own options.
    private static int behind(List<String> words, int wrapper, String name) {
        Set<String> valued = WRAPPERS.getOrDefault(name, Set.of());
        int at = wrapper + 1;
        while (at < words.size() && words.get(at).startsWith("-")) {
            boolean last = words.get(at).equals("--");
            at += valued.contains(words.get(at)) ? 2 : 1;
            if (last) {
                break;
            }
        }
        return name.equals("timeout") ? at + 1 : at;
    }

    private static boolean isAssignment(String word) {
        int equals = word.indexOf('=');
        return equals > 0
                && word.chars().limit(equals).allMatch(c -> c == '_' || Character.isLetterOrDigit(c))
                && !Character.isDigit(word.charAt(0));
    }

    private static String baseName(String word) {
        return word.substring(word.lastIndexOf('/') + 1);
    }
}
