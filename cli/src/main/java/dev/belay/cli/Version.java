package dev.belay.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/// The version of this Belay, from a resource that the build fills in.
///
/// @param number the version: `0.1.0`
/// @param commit the commit that it was built from, or `unknown`
record Version(String number, String commit) {
    static Version read() throws IOException {
        try (InputStream in = Version.class.getResourceAsStream("version.txt")) {
            if (in == null) {
                return new Version("?", "unknown");
            }
            String[] words = new String(in.readAllBytes(), StandardCharsets.UTF_8).strip().split(" ", -1);
            return new Version(words[0], words.length > 1 ? words[1] : "unknown");
        }
    }

    /// What `belay --version` prints.
    String text() {
        return "belay " + number + " (commit " + commit + ")\n"
                + "Java " + System.getProperty("java.runtime.version") + ", " + System.getProperty("java.vendor") + "\n"
                + System.getProperty("os.name") + " " + System.getProperty("os.version") + ", "
                + System.getProperty("os.arch") + "\n";
    }
}
