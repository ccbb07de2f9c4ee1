package dev.belay;

import dev.belay.Approval.Answer;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// An answer that also applies to later programs: of the same owner, in the same folder, steered by the same variables.
///
/// @param variables the digest of the variables, see [Execution.Variables]
/// @param prefix    whether any words may follow
record Remembered(
        boolean allow, String owner, String folder, String variables, String program, List<String> words,
        boolean prefix) {
    /// Programs that run what their arguments say, so their first words say nothing about what they do.
    private static final Set<String> INTERPRETERS = Set.of("sh", "bash", "dash", "zsh", "ksh", "fish", "busybox", "env",
            "xargs", "sudo", "doas", "nice", "nohup", "setsid", "timeout", "time", "stdbuf", "find", "awk", "gawk",
            "mawk", "sed", "perl", "ruby", "node", "nodejs", "deno", "bun", "php", "lua", "java", "make", "ssh", "su",
            "flock", "setpriv", "taskset",
            "ionice", "chrt", "unshare", "nsenter", "chroot", "runuser", "strace", "ltrace", "gdb", "script", "watch",
            "parallel", "entr", "systemd-run", "tclsh", "expect");
    private static final String PYTHON = "python";
    private static final Pattern VERSION = Pattern.compile("-?[0-9][0-9.]*$");

    private static final String OWNER = "owner=";
    private static final String FOLDER = "folder=";
    private static final String VARIABLES = "variables=";
    /// Where the words begin in a line.
    private static final int WORDS = 6;

    static Remembered of(String owner, Execution execution, Answer answer) {
        Execution.Image image = execution.first();
        List<String> all = image.words();
        int first = answer.words() == null || interprets(image.name()) ? all.size() : answer.words();
        boolean prefix = first < all.size();
        return new Remembered(
                answer.allow(), owner, execution.workdir(), execution.variables().digest(), image.program(),
                prefix ? all.subList(0, first) : all, prefix);
    }

    private static boolean interprets(String name) {
        return INTERPRETERS.contains(VERSION.matcher(name).replaceFirst("")) || name.startsWith(PYTHON);
    }

    /// @param by the owner of the session that starts the program
    boolean fits(String by, Execution execution) {
        Execution.Image image = execution.first();
        if (!by.equals(owner) || !image.named() || !image.program().equals(program)
                || !execution.workdir().equals(folder) || !execution.variables().digest().equals(variables)) {
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
                .append(prefix ? "prefix " : "exact ")
                .append(OWNER).append(encoded(owner))
                .append(' ').append(FOLDER).append(encoded(folder))
                .append(' ').append(VARIABLES).append(encoded(variables))
                .append(' ').append(encoded(program));
        words.forEach(word -> line.append(' ').append(encoded(word)));
        return line.toString();
    }

    /// Empty for a line that does not say for whom and where it counts, as earlier versions wrote them.
    static Optional<Remembered> parse(String line) {
        String[] parts = line.strip().split(" ", -1);
        if (parts.length < WORDS + 1 || !Set.of("allow", "deny").contains(parts[0])
                || !Set.of("prefix", "exact").contains(parts[1])
                || !parts[2].startsWith(OWNER) || !parts[3].startsWith(FOLDER) || !parts[4].startsWith(VARIABLES)) {
            return Optional.empty();
        }
        List<String> words = new ArrayList<>();
        try {
            for (int i = WORDS; i < parts.length; i++) {
                words.add(decoded(parts[i]));
            }
            return Optional.of(new Remembered(
                    parts[0].equals("allow"), decoded(parts[2].substring(OWNER.length())),
                    decoded(parts[3].substring(FOLDER.length())), decoded(parts[4].substring(VARIABLES.length())),
                    decoded(parts[WORDS - 1]), words, parts[1].equals("prefix")));
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
