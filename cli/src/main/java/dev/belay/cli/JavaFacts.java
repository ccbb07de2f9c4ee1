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
    /// The caches that `./belay` makes: for commands that need no server, for its clients, for the server and the
    /// agent tools.
    private static final List<String> CACHES =
            List.of("belay.aot", "belay-client.aot", "belay-serve.aot", "belay-mcp.aot");
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
        boolean enabled = Machine.nativeAccess();
        Finding finding = Finding.ok("java.native_access", "native access", enabled ? "enabled" : "not enabled")
                .with("enabled", enabled);
        return enabled
                ? finding
                : finding.missing(
                        "Belay needs it for system calls. Without it, no session can start.",
                        "start the JVM with " + Machine.nativeAccessOption() + ", as ./belay does");
    }

    /// Without the option the JVM raises its soft limit to the hard limit. So a lower soft limit is proof too.
    private static Finding fileLimit(List<String> options) {
        boolean lower = Machine.limit("Max open files").filter(limit -> limit.soft() < limit.hard()).isPresent();
        boolean off = lower || options.contains(FD_OPTION);
        String value = off
                ? "not changed by the JVM (" + FD_OPTION + ")"
                : "raised by the JVM, or already at its maximum";
        Finding finding = Finding.ok("java.max_fd_limit", "open-files limit", value).with("untouched", off);
        return off
                ? finding
                : finding.note(
                        "Sessions may inherit a higher soft limit of open files than you have.",
                        "start the JVM with " + FD_OPTION + ", as ./belay does");
    }

    /// The options that make a small program start fast, read from the command line: asking the JVM would load many
    /// more classes.
    static Finding flags(List<String> options) {
        String collector = last(options, "-XX:\\+Use(\\w+GC)").orElse("");
        String tier = last(options, "-XX:TieredStopAtLevel=(\\d)").orElse("");
        long heap = Runtime.getRuntime().maxMemory();
        String value = (collector.isEmpty() ? "default garbage collector" : collector)
                + ", heap up to " + RoomFacts.bytes(heap)
                + (tier.isEmpty() ? ", all compilers" : ", compilers up to tier " + tier);
        return Finding.ok("java.flags", "flags", value)
                .with("collector", collector)
                .with("max_heap_bytes", heap)
                .with("compiler_tier", tier);
    }

    /// The value of the last option that matches: the last one wins.
    private static Optional<String> last(List<String> options, String fits) {
        Pattern pattern = Pattern.compile(fits);
        return options.stream()
                .map(pattern::matcher)
                .filter(Matcher::matches)
                .map(found -> found.group(1))
                .reduce((_, last) -> last);
    }

    private static Finding cache(List<String> options) {
        return last(options, "-XX:AOTCache=(.*)")
                .map(path -> cache(Path.of(path), text("/proc/self/maps")))
                .orElseGet(() -> Finding.ok("java.aot_cache", "AOT cache", "none")
                        .with("path", "").with("used", false).with("absent", CACHES)
                        .note(
                                "Belay works, but starts more slowly.",
                                "start Belay with ./belay, which makes a cache when it builds"));
    }

    /// The cache that this JVM was started with, and the others that `./belay` makes next to it.
    ///
    /// @param maps the files that this JVM has mapped
    static Finding cache(Path path, String maps) {
        boolean used = Files.exists(path) && maps.contains(real(path));
        List<String> absent = CACHES.stream().filter(name -> !Files.exists(path.resolveSibling(name))).toList();
        String value = (used ? "used, " : "not used, ") + path
                + (absent.isEmpty() ? "" : "; missing: " + String.join(", ", absent));
        Finding finding = Finding.ok("java.aot_cache", "AOT cache", value)
                .with("path", path.toString()).with("used", used).with("absent", absent);
        return used && absent.isEmpty()
                ? finding
                : finding.note(
                        used
                                ? "Belay works, but commands without a cache start more slowly."
                                : "The cache is missing, or was made for another JVM or other options. Belay works, but"
                                        + " starts more slowly.",
                        "rm -f " + path.resolveSibling("built") + " and run ./belay, which builds it again");
    }

    /// The launcher sets a UTF-8 locale if the caller has none, and keeps the old value in `BELAY_LC_ALL`.
    private static Finding locale() {
        String encoding = System.getProperty("sun.jnu.encoding", "");
        boolean utf8 = encoding.toUpperCase(Locale.ROOT).replace("-", "").equals("UTF8");
        boolean replaced = System.getenv("BELAY_LC_ALL") != null;
        String value = !utf8 ? encoding : replaced ? "UTF-8 for Belay, but not in your own locale" : "UTF-8";
        Finding finding = Finding.ok("java.locale", "locale", value)
                .with("encoding", encoding).with("callers_is_utf8", utf8 && !replaced);
        if (!utf8) {
            return finding.note(
                    "Non-ASCII arguments, variables and file names are lost.", "export LC_ALL=C.UTF-8");
        }
        return !replaced
                ? finding
                : finding.note(
                        "Commands get your locale and may print non-ASCII text wrongly.",
                        "export LANG=C.UTF-8, and unset LC_ALL and LC_CTYPE");
    }

    /// The JVM options on the command line and in the variables that JVMs read options from.
    private static List<String> options() {
        List<String> words = new ArrayList<>();
        for (String variable : List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")) {
            words.addAll(List.of(Optional.ofNullable(System.getenv(variable)).orElse("").strip().split("\\s+", -1)));
        }
        for (String word : text("/proc/self/cmdline").split("\0", -1)) {
            if (word.equals("-m") || word.equals("--module")) {
                // The rest is for Belay.
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
