package dev.belay;

import dev.belay.Approval.Answer;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// An answer that also applies to later programs.
///
/// @param prefix whether any words may follow
record Remembered(boolean allow, String program, List<String> words, boolean prefix) {
    /// Programs that run what their arguments say, so their first words say nothing about what they do.
    private static final Set<String> INTERPRETERS = Set.of("sh", "bash", "dash", "zsh", "ksh", "fish", "busybox", "env",
            "xargs", "sudo", "doas", "nice", "nohup", "setsid", "timeout", "time", "stdbuf", "find", "awk", "gawk",
            "mawk", "sed", "perl", "ruby", "node", "nodejs", "deno", "bun", "php", "lua", "java", "make", "ssh", "su");
    private static final String PYTHON = "python";

    static Remembered of(Execution.Image image, Answer answer) {
        List<String> all = image.words();
        Integer first = answer.words();
        return first == null || first >= all.size() || interprets(image.name())
                ? new Remembered(answer.allow(), image.program(), all, false)
                : new Remembered(answer.allow(), image.program(), all.subList(0, first), true);
    }

    private static boolean interprets(String name) {
        return INTERPRETERS.contains(name) || name.startsWith(PYTHON);
    }

    boolean fits(Execution execution) {
        Execution.Image image = execution.first();
        if (!image.named() || !image.program().equals(program)) {
            return false;
        }
        if (allow && (image.writable() || execution.foreignLoader())) {
            return false;
        }
        return prefix
                ? image.words().size() >= words.size() && image.words().subList(0, words.size()).equals(words)
                : image.whole() && image.words().equals(words);
    }

    // --- as a line that people can read ---

    String line() {
        StringBuilder line = new StringBuilder(allow ? "allow " : "deny ")
                .append(prefix ? "prefix " : "exact ").append(encoded(program));
        words.forEach(word -> line.append(' ').append(encoded(word)));
        return line.toString();
    }

    static Optional<Remembered> parse(String line) {
        String[] parts = line.strip().split(" ", -1);
        if (parts.length < 4 || !Set.of("allow", "deny").contains(parts[0])
                || !Set.of("prefix", "exact").contains(parts[1])) {
            return Optional.empty();
        }
        List<String> words = new ArrayList<>();
        try {
            for (int i = 3; i < parts.length; i++) {
                words.add(decoded(parts[i]));
            }
            return Optional.of(new Remembered(
                    parts[0].equals("allow"), decoded(parts[2]), words, parts[1].equals("prefix")));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    static String encoded(String word) {
        return word.isEmpty() ? "%" : URLEncoder.encode(word, StandardCharsets.UTF_8).replace("%2F", "/");
    }

    static String decoded(String word) {
        return word.equals("%") ? "" : URLDecoder.decode(word, StandardCharsets.UTF_8);
    }
}
