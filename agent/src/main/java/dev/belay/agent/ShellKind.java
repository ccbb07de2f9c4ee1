package dev.belay.agent;

import dev.belay.Quoted;
import dev.belay.SessionException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A shell that can mark where its commands begin and end, and with which codes: how it is started, and how a command
/// is written for it.
enum ShellKind {
    BASH(".bash"),
    ZSH(".zshenv"),
    FISH(".fish");

    /// One line that means the same wherever it is typed, and is complete.
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./,:@%+=-]+( [A-Za-z0-9_./,:@%+=-]+)*");
    private static final Set<String> GRAMMAR = Set.of("if", "then", "else", "elif", "fi", "for", "while", "until", "do",
            "done", "case", "esac", "select", "function", "time", "coproc", "foreach", "end", "repeat", "begin",
            "switch", "and", "or", "not", "nocorrect", "noglob");

    private final String file;

    ShellKind(String file) {
        this.file = file;
    }

    /// The kind of a shell by the name of its program.
    static ShellKind of(String shell) {
        String name = shell.substring(shell.lastIndexOf('/') + 1);
        for (ShellKind kind : values()) {
            if (name.equals(kind.label())) {
                return kind;
            }
        }
        throw SessionException.invalid("A persistent shell is bash, zsh or fish, not " + Quoted.of(shell)
                + "; name one in shell.");
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// Writes the start-up file into a private folder.
    ///
    /// @param key what marks are signed with
    void prepare(Path folder, String key) throws IOException {
        String script = resource(label()).replace("${functions}", resource("functions")).replace("${key}", key);
        Files.writeString(folder.resolve(file), script);
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(ShellKind.class.getResourceAsStream("shell." + name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /// What to start.
    List<String> command(String shell, Path folder) {
        return switch (this) {
            case BASH -> List.of(shell, "--posix");
            case ZSH -> List.of(shell);
            case FISH -> List.of(
                    shell, "--private", "--init-command", "source " + quoted(folder.resolve(file).toString()));
        };
    }

    /// With which variables.
    Map<String, String> env(Path folder) {
        return switch (this) {
            case BASH -> Map.of("ENV", folder.resolve(file).toString());
            case ZSH -> Map.of("ZDOTDIR", folder.toString());
            case FISH -> Map.of();
        };
    }

    /// One line that runs a command, however many lines that has, and is complete whatever it holds.
    ///
    /// @param folder where to go first; null: nowhere
    String line(String cmd, @Nullable String folder) {
        String plain = cmd.strip();
        boolean simple = PLAIN.matcher(plain).matches() && !GRAMMAR.contains(plain.split(" ", 2)[0]);
        String run = simple ? plain : "eval " + quoted(cmd);
        return folder == null ? run : "cd " + quoted(folder) + " && " + run;
    }

    /// A word that means these characters. Control characters other than line feeds and tabs are written out, since a
    /// line editor would act on them.
    private String quoted(String text) {
        StringBuilder out = new StringBuilder("'");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\'') {
                out.append(this == FISH ? "\\'" : "'\\''");
            } else if (c == '\\' && this == FISH) {
                out.append("\\\\");
            } else if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f) {
                String code = String.format(Locale.ROOT, "\\x%02x", (int) c);
                out.append(this == FISH ? "'" + code + "'" : "'$'" + code + "''");
            } else {
                out.append(c);
            }
        }
        return out.append('\'').toString();
    }
}
