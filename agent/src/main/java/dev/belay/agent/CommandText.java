package dev.belay.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A shell command as far as it can be read without running it: the simple commands of its lists, pipelines and
/// substitutions, each with the program it names behind wrappers such as `sudo` and `env X=Y`.
///
/// @param parts the simple commands, in the order of the text
public record CommandText(String text, List<Part> parts) {
    /// Substitutions and `sh -c` within each other are read to this depth.
    private static final int MAX_DEPTH = 8;

    /// Programs that run the program they are given, with those of their options that take a value of their own.
    private static final Map<String, Set<String>> WRAPPERS = Map.ofEntries(
            Map.entry("sudo", Set.of("-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R")),
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
            List<String> words = unwrapped(simple.words());
            if (!words.isEmpty()) {
                String program = baseName(words.getFirst());
                parts.add(new Part(program, words));
                int script = words.indexOf("-c") + 1;
                if (SHELLS.contains(program) && script > 0 && script < words.size() && depth < MAX_DEPTH) {
                    read(words.get(script), parts, depth + 1);
                }
            }
            if (depth < MAX_DEPTH) {
                simple.substitutions().forEach(inner -> read(inner, parts, depth + 1));
            }
        }
    }

    /// The words from the program on that is run in the end.
    private static List<String> unwrapped(List<String> words) {
        int at = 0;
        while (at < words.size()) {
            String word = words.get(at);
            String name = baseName(word);
            if (KEYWORDS.contains(word) || isAssignment(word)) {
                at++;
            } else if (HEADS.contains(word)) {
                return List.of();
            } else if (WRAPPERS.containsKey(name)) {
                int inner = behind(words, at, name);
                if (inner >= words.size()) {
                    return words.subList(at, words.size());
                }
                at = inner;
            } else {
                return words.subList(at, words.size());
            }
        }
        return List.of();
    }

    /// Where the command of a wrapper begins, behind its own options.
    private static int behind(List<String> words, int wrapper, String name) {
        Set<String> valued = WRAPPERS.getOrDefault(name, Set.of());
        int at = wrapper + 1;
        while (at < words.size() && words.get(at).startsWith("-") && words.get(at).length() > 1) {
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
