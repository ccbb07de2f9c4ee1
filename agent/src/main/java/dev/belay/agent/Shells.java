package dev.belay.agent;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/// Which shell runs a command.
public final class Shells {
    /// What accounts that nobody logs in to have for a shell.
    private static final Set<String> NO_SHELLS = Set.of("nologin", "false");

    private Shells() {}

    /// The user's shell, else bash, else sh.
    public static String standard(Map<String, String> env) {
        return Stream.of(env.getOrDefault("SHELL", ""), "/bin/bash")
                .filter(Shells::usable)
                .findFirst()
                .orElse("/bin/sh");
    }

    /// The shell for commands that share one: the standard one if it can mark commands, else bash.
    static String persistent(String standard) {
        String name = standard.substring(standard.lastIndexOf('/') + 1);
        boolean marks = Stream.of(ShellKind.values()).anyMatch(kind -> kind.label().equals(name));
        return marks || !usable("/bin/bash") ? standard : "/bin/bash";
    }

    private static boolean usable(String shell) {
        try {
            return !shell.isEmpty()
                    && !NO_SHELLS.contains(shell.substring(shell.lastIndexOf('/') + 1))
                    && Files.isExecutable(Path.of(shell));
        } catch (InvalidPathException _) {
            return false;
        }
    }

    static List<String> command(String shell, boolean login, String cmd) {
        List<String> words = new ArrayList<>(List.of(shell));
        if (login) {
            words.add("-l");
        }
        words.add("-c");
        words.add(cmd);
        return words;
    }
}
