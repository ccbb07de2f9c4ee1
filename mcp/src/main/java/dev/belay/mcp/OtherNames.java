package dev.belay.mcp;

import dev.belay.Nearest;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// What other tools call the arguments of these.
final class OtherNames {
    private static final Map<String, List<String>> OTHERS = Map.ofEntries(
            Map.entry("cmd", List.of("command", "script", "code", "commandline", "program", "exec")),
            Map.entry("workdir", List.of("cwd", "dir", "directory", "folder", "path", "workingdirectory")),
            Map.entry("session_id", List.of("id", "session", "pid", "name", "terminalid")),
            Map.entry("chars", List.of("input", "text", "data", "stdin", "content", "string", "line")),
            Map.entry("keys", List.of("keypress", "keystrokes")),
            Map.entry("timeout_ms", List.of("timeout", "timeoutseconds", "killafter")),
            Map.entry("yield_time_ms", List.of("wait", "waitms", "maxwait", "delay", "blockuntilms")),
            Map.entry("max_output_tokens", List.of("maxtokens", "maxoutput", "limit", "maxchars")),
            Map.entry("match", List.of("regex", "pattern", "contains", "expect", "output")),
            Map.entry("idle_ms", List.of("quiet", "silence")),
            Map.entry("exit", List.of("exited", "done", "finish", "completion")),
            Map.entry("tail", List.of("lines", "last", "lastlines")),
            Map.entry("from", List.of("offset", "start", "since", "position")),
            Map.entry("force", List.of("kill")),
            Map.entry("env", List.of("environment", "variables")));

    private OtherNames() {}

    /// The argument that is meant by a wrong name: the same thing by another word, or the same word mistyped.
    static Optional<String> meant(String wrong, Collection<String> known) {
        String plain = wrong.toLowerCase(Locale.ROOT).replaceAll("[_-]", "");
        return known.stream()
                .filter(name -> OTHERS.getOrDefault(name, List.of()).contains(plain))
                .sorted()
                .findFirst()
                .or(() -> Nearest.of(wrong, known));
    }
}
