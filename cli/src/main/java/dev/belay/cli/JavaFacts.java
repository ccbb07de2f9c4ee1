package dev.belay.cli;

import dev.belay.linux.Machine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The JVM that Belay runs on, and how it was started.
final class JavaFacts {
    private static final String AOT_OPTION = "-XX:AOTCache=";
    /// Of small commands, the server and the agent tools.
    private static final List<String> CACHES = List.of("belay.aot", "belay-serve.aot", "belay-mcp.aot");
    private static final String FD_OPTION = "-XX:-MaxFDLimit";

    private JavaFacts() {}

    static List<Finding> look() {
        List<String> options = options();
        return List.of(version(), nativeAccess(), fileLimit(options), flags(options), cache(options), locale());
    }

    private static Finding version() {
        String version = System.getProperty("java.version");
        String vendor = System.getProperty("java.vendor");
        String home = System.getProperty("java.home");
        return Finding.ok("java.version", "version", version + ", " + vendor + ", " + home)
                .with("version", version)
                .with("vendor", vendor)
                .with("home", home);
    }

    private static Finding nativeAccess() {
        String option = Machine.nativeAccessOption();
        Finding finding = Machine.nativeAccess()
                ? Finding.ok("java.native_access", "native access", "enabled")
                : Finding.missing(
                        "java.native_access",
                        "native access",
                        "not enabled",
                        "Belay makes system calls; without native access no session can start.",
                        "start the JVM with " + option + ", as ./belay does");
        return finding.with("enabled", Machine.nativeAccess());
    }

    /// A JVM started without the option raises its soft limit to the hard one; so one that is lower tells as well.
    private static Finding fileLimit(List<String> options) {
        boolean lower = Machine.limit("Max open files").filter(limit -> limit.soft() < limit.hard()).isPresent();
        boolean off = lower || options.contains(FD_OPTION);
        Finding finding = off
                ? Finding.ok("java.max_fd_limit", "open-files limit", "left as it was (" + FD_OPTION + ")")
                : Finding.note(
                        "java.max_fd_limit",
                        "open-files limit",
                        "raised by the JVM, or at its maximum before",
                        "Sessions may inherit a higher soft limit of open files than yours.",
                        "start the JVM with " + FD_OPTION + ", as ./belay does");
        return finding.with("untouched", off);
    }

    /// What makes a small program start fast. Asked of the command line: to ask the JVM would load much more of it.
    static Finding flags(List<String> options) {
        String collector = last(options, "-XX:\\+Use(\\w+GC)").orElse("");
        String tier = last(options, "-XX:TieredStopAtLevel=(\\d)").orElse("");
        long heap = Runtime.getRuntime().maxMemory();
        String value = (collector.isEmpty() ? "collector of the JVM's choice" : collector)
                + ", heap of at most " + RoomFacts.bytes(heap)
                + (tier.isEmpty() ? ", all compilers" : ", compilers up to tier " + tier);
        return Finding.ok("java.flags", "flags", value)
                .with("collector", collector)
                .with("max_heap_bytes", heap)
                .with("compiler_tier", tier);
    }

    /// What the last option that fits says: it is the one that holds.
    private static Optional<String> last(List<String> options, String fits) {
        Pattern pattern = Pattern.compile(fits);
        return options.stream()
                .map(pattern::matcher)
                .filter(Matcher::matches)
                .map(found -> found.group(1))
                .reduce((_, last) -> last);
    }

    private static Finding cache(List<String> options) {
        Optional<String> named = options.stream()
                .filter(option -> option.startsWith(AOT_OPTION))
                .map(option -> option.substring(AOT_OPTION.length()))
                .reduce((_, last) -> last);
        if (named.isEmpty()) {
            return Finding.note(
                    "java.aot_cache",
                    "AOT cache",
                    "none",
                    "Belay works the same, but starts more slowly.",
                    "start Belay with ./belay, which makes one when it builds")
                    .with("path", "")
                    .with("used", false)
                    .with("absent", CACHES);
        }
        return cache(Path.of(named.get()), text("/proc/self/maps"));
    }

    /// The one that this JVM was told of, and the others that `./belay` makes beside it.
    ///
    /// @param maps the files that this JVM has mapped
    static Finding cache(Path path, String maps) {
        boolean used = Files.exists(path) && maps.contains(real(path));
        List<String> absent = CACHES.stream().filter(name -> !Files.exists(path.resolveSibling(name))).toList();
        String meaning = used
                ? "Belay works the same, but the commands that have none start more slowly."
                : "It is absent or does not fit this JVM or its options; Belay works the same, but starts more slowly.";
        String value = (used ? "used, " : "not used, ") + path
                + (absent.isEmpty() ? "" : "; there is no " + String.join(", ", absent));
        Finding finding = used && absent.isEmpty()
                ? Finding.ok("java.aot_cache", "AOT cache", value)
                : Finding.note(
                        "java.aot_cache",
                        "AOT cache",
                        value,
                        meaning,
                        "rm -f " + path.resolveSibling("built") + " and start ./belay, which builds it again");
        return finding.with("path", path.toString()).with("used", used).with("absent", absent);
    }

    /// The launcher sets one with UTF-8 where the caller's has none, and tells in `BELAY_LC_ALL`.
    private static Finding locale() {
        String encoding = System.getProperty("sun.jnu.encoding", "");
        boolean utf8 = encoding.toUpperCase(Locale.ROOT).replace("-", "").equals("UTF8");
        boolean replaced = System.getenv("BELAY_LC_ALL") != null;
        Finding finding;
        if (!utf8) {
            finding = Finding.note(
                    "java.locale",
                    "locale",
                    encoding,
                    "Arguments, variables and file names other than ASCII are lost.",
                    "export LC_ALL=C.UTF-8");
        } else if (replaced) {
            finding = Finding.note(
                    "java.locale",
                    "locale",
                    "UTF-8 for Belay, not in your own locale",
                    "Commands get your locale, and may print other than ASCII wrongly.",
                    "export LANG=C.UTF-8, and unset LC_ALL and LC_CTYPE");
        } else {
            finding = Finding.ok("java.locale", "locale", "UTF-8");
        }
        return finding.with("encoding", encoding).with("callers_is_utf8", utf8 && !replaced);
    }

    /// The words of the command line, and of the variables that JVMs read options from.
    private static List<String> options() {
        List<String> words = new ArrayList<>();
        for (String variable : List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")) {
            words.addAll(List.of(Optional.ofNullable(System.getenv(variable)).orElse("").strip().split("\\s+", -1)));
        }
        for (String word : text("/proc/self/cmdline").split("\0", -1)) {
            if (word.equals("-m") || word.equals("--module")) {
                // What follows is for Belay.
                break;
            }
            words.add(word);
        }
        return words;
    }

    private static String real(Path path) {
        try {
            return path.toRealPath().toString();
        } catch (IOException _) {
            return path.toString();
        }
    }

    private static String text(String file) {
        try {
            return new String(Files.readAllBytes(Path.of(file)), StandardCharsets.UTF_8);
        } catch (IOException _) {
            return "";
        }
    }
}
