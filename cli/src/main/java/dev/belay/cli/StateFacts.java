package dev.belay.cli;

import dev.belay.Limits;
import dev.belay.StateFolder;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The state folder: where it is, whether it can be used, and what is left in it. Makes nothing and deletes nothing.
final class StateFacts {
    private static final String OWNER_ONLY = "rwx------";
    private static final long WANTED_BYTES = Limits.DEFAULT.maxSessions() * Limits.DEFAULT.logBytes();

    private StateFacts() {}

    static List<Finding> look(Map<String, String> env) {
        Path folder;
        try {
            folder = StateFolder.standard(env);
        } catch (InvalidPathException e) {
            return List.of(Finding.missing(
                    "state.folder",
                    "folder",
                    "its name cannot be read in this locale: " + e.getInput(),
                    "Java reads names by the locale, and this one has no UTF-8.",
                    "export LC_ALL=C.UTF-8")
                    .with("path", e.getInput())
                    .with("exists", false)
                    .with("usable", false));
        }
        List<Finding> findings = new ArrayList<>();
        findings.add(folder(folder));
        if (Files.isDirectory(folder)) {
            findings.add(mode(folder));
            findings.add(leftovers(folder));
        }
        Path existing = existing(folder);
        if (existing != null) {
            findings.add(space(existing));
        }
        return findings;
    }

    private static Finding folder(Path folder) {
        Path sessions = folder.resolve("sessions");
        Path nearest = existing(sessions);
        boolean usable = nearest != null && Files.isDirectory(nearest) && Files.isWritable(nearest)
                && Files.isExecutable(nearest);
        boolean exists = Files.isDirectory(folder);
        Finding finding;
        if (usable) {
            finding = Finding.ok("state.folder", "folder", folder + (exists ? "" : ", will be made at the first use"));
        } else {
            String value = folder + (exists
                    ? ", cannot be written to"
                    : ", cannot be made: "
                            + nearest
                            + (nearest != null && Files.isDirectory(nearest) ? " is not writable" : " is no folder"));
            Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
            String fix = "export XDG_STATE_HOME=DIR, with a folder that you may write to";
            finding = Files.isWritable(temporary)
                    ? Finding.note(
                            "state.folder",
                            "folder",
                            value,
                            "'belay run' keeps its files in " + temporary + " instead; programs have to name a folder.",
                            fix)
                    : Finding.missing(
                            "state.folder",
                            "folder",
                            value,
                            "The output of sessions is kept in files; " + temporary + " cannot be written to either.",
                            fix);
        }
        return finding.with("path", folder.toString()).with("exists", exists).with("usable", usable);
    }

    private static Finding mode(Path folder) {
        String mode;
        try {
            mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(folder));
        } catch (IOException | UnsupportedOperationException e) {
            return Finding.note("state.mode", "mode", "not known", "It cannot be asked for: " + e.getMessage(), "")
                    .with("mode", "");
        }
        Finding finding = mode.equals(OWNER_ONLY)
                ? Finding.ok("state.mode", "mode", mode)
                : Finding.note(
                        "state.mode",
                        "mode",
                        mode,
                        "Others may see that there are sessions; their output is in a folder that only you can enter.",
                        "chmod 700 " + quoted(folder));
        return finding.with("mode", mode);
    }

    private static Finding space(Path folder) {
        try {
            FileStore store = Files.getFileStore(folder);
            long free = store.getUsableSpace();
            String type = store.type();
            String value = RoomFacts.bytes(free) + " free, " + type;
            Finding finding;
            if (free < WANTED_BYTES) {
                finding = Finding.note(
                        "state.space",
                        "space",
                        value,
                        "When it is used up sessions live on, but their output has gaps.",
                        "make room on the file system of " + quoted(folder) + ": " + RoomFacts.bytes(WANTED_BYTES)
                                + " are enough for " + Limits.DEFAULT.maxSessions() + " sessions");
            } else if (type.equals("tmpfs") || type.equals("ramfs")) {
                finding = Finding.note(
                        "state.space",
                        "space",
                        value,
                        "The output of sessions is kept in memory there, up to "
                                + RoomFacts.bytes(Limits.DEFAULT.logBytes()) + " a session.",
                        "export XDG_STATE_HOME=DIR, with a folder on a disk");
            } else {
                finding = Finding.ok("state.space", "space", value);
            }
            return finding.with("type", type).with("free_bytes", free);
        } catch (IOException e) {
            return Finding.note("state.space", "space", "not known", "It cannot be asked for: " + e.getMessage(), "")
                    .with("type", "")
                    .with("free_bytes", 0);
        }
    }

    private static Finding leftovers(Path folder) {
        StateFolder.Instances instances;
        try {
            instances = StateFolder.instances(folder);
        } catch (IOException e) {
            return Finding.note(
                    "state.leftovers", "leftovers", "not known", "They cannot be looked at: " + e.getMessage(), "");
        }
        int left = instances.killed();
        int running = instances.running();
        String value = (left == 0 ? "none" : "of " + left + (left == 1 ? " instance" : " instances"))
                + (running == 0 ? "" : "; " + running + " running now");
        Finding finding = left == 0
                ? Finding.ok("state.leftovers", "leftovers", value)
                : Finding.note(
                        "state.leftovers",
                        "leftovers",
                        value,
                        "A Belay that was killed left its files; the next one to start deletes them.",
                        "belay run -- true");
        return finding.with("killed_instances", left).with("running_instances", running);
    }

    /// The folder itself, or the nearest above it that exists.
    private static @Nullable Path existing(Path folder) {
        Path path = folder;
        while (path != null && !Files.exists(path)) {
            path = path.getParent();
        }
        return path;
    }

    private static String quoted(Path path) {
        return "'" + path.toString().replace("'", "'\\''") + "'";
    }
}
