package dev.belay;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The environment that every session starts from, before its spec adds to it. A session in a sandbox starts from
/// [#inSandbox] instead.
///
/// @param named the names of variables that somebody asked for by name; the others were inherited
public record Environment(Map<String, String> variables, Set<String> named) {
    /// Names of variables that look secret. `*` stands for anything.
    public static final List<String> SECRETS = List.of("*TOKEN*", "*SECRET*", "*PASSWORD*", "*API_KEY*", "BELAY_*");

    private static final Set<String> BASICS = Set.of(
            "PATH",
            "HOME",
            "USER",
            "LOGNAME",
            "SHELL",
            "LANG",
            "TZ",
            "TMPDIR",
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "NO_PROXY",
            "ALL_PROXY",
            "JAVA_HOME",
            "SSH_AUTH_SOCK");

    /// What a sandbox inherits, along with `LC_*`: nothing that can hold a secret or lead to one.
    private static final Set<String> HARMLESS = Set.of(
            "PATH",
            "HOME",
            "USER",
            "LOGNAME",
            "SHELL",
            "LANG",
            "LANGUAGE",
            "TZ",
            "TERM",
            "COLORTERM",
            "NO_COLOR",
            "TMPDIR",
            "JAVA_HOME",
            "EDITOR",
            "VISUAL",
            "PAGER",
            "CI");

    public Environment {
        variables = Map.copyOf(variables);
        named = Set.copyOf(named);
    }

    /// Inherited variables.
    public Environment(Map<String, String> variables) {
        this(variables, Set.of());
    }

    /// All of the caller's variables except those that look secret: for commands that run on the caller's behalf.
    public static Environment inherited(Map<String, String> caller) {
        return inherited(caller, SECRETS);
    }

    /// All of the caller's variables except those whose name matches one of the patterns, ignoring case.
    public static Environment inherited(Map<String, String> caller, List<String> secrets) {
        Pattern secret = Pattern.compile(
                secrets.stream()
                        .map(glob -> Pattern.quote(glob.toUpperCase(Locale.ROOT)).replace("*", "\\E.*\\Q"))
                        .collect(Collectors.joining("|")));
        return filtered(caller, name -> !secret.matcher(name).matches());
    }

    /// A short list of harmless variables, where the caller has them set: for servers.
    public static Environment basic(Map<String, String> caller) {
        return filtered(caller, name -> BASICS.contains(name) || name.startsWith("LC_"));
    }

    /// This environment with more variables, which sandboxes get too.
    public Environment with(Map<String, String> more) {
        Map<String, String> all = new TreeMap<>(variables);
        all.putAll(more);
        Set<String> names = new TreeSet<>(named);
        names.addAll(more.keySet());
        return new Environment(all, names);
    }

    /// What of this a sandbox gets: a short list of harmless variables, and those that were named.
    public Environment inSandbox() {
        Map<String, String> all = new TreeMap<>(variables);
        all.keySet().removeIf(name -> !named.contains(name) && !HARMLESS.contains(name) && !name.startsWith("LC_"));
        return new Environment(all, named);
    }

    private static Environment filtered(Map<String, String> caller, Predicate<String> keep) {
        return new Environment(caller.entrySet().stream()
                .filter(entry -> keep.test(entry.getKey().toUpperCase(Locale.ROOT)))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    /// Shows only the names, because values may be secret.
    @Override
    public String toString() {
        return "Environment" + new TreeSet<>(variables.keySet());
    }
}
