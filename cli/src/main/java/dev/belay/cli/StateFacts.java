package dev.belay.cli;

import dev.belay.Limits;
import dev.belay.PrivateFolder;
import dev.belay.SessionException;
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

/// The state folder: where it is, whether it is usable, and what was left in it. Creates and deletes nothing.
final class StateFacts {
    private static final long WANTED_BYTES = Limits.DEFAULT.maxSessions() * Limits.DEFAULT.logBytes();

    private StateFacts() {}

    static List<Finding> look(Map<String, String> env) {
        Path folder;
        try {
            folder = StateFolder.standard(env);
        } catch (InvalidPathException e) {
            return List.of(
                    folder("name not readable in this locale: " + e.getInput(), e.getInput(), false, false)
                            .missing(
                                    "Java decodes file names by the locale, and this locale is not UTF-8.",
                                    "export LC_ALL=C.UTF-8"));
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
        if (usable) {
            String value = folder + (exists ? "" : ", will be created on first use");
            return folder(value, folder.toString(), exists, true);
        }
        boolean closed = nearest != null && Files.isDirectory(nearest);
        String why = exists
                ? ", not writable"
                : ", cannot be created: " + nearest + (closed ? " is not writable" : " is not a folder");
        Finding finding = folder(folder + why, folder.toString(), exists, false);
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        String fix = "export XDG_STATE_HOME=DIR, where DIR is a folder that you can write to";
        return Files.isWritable(temporary)
                ? finding.note(
                        "'belay run' uses " + temporary + " instead; Java programs have to name a folder.",
                        fix)
                : finding.missing(
                        "Belay keeps output in files, and " + temporary + " is not writable either.",
                        fix);
    }

    private static Finding folder(String value, String path, boolean exists, boolean usable) {
        return Finding.ok("state.folder", "folder", value)
                .with("path", path).with("exists", exists).with("usable", usable);
    }

    private static Finding mode(Path folder) {
        String mode = "";
        try {
            mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(folder));
            PrivateFolder.open(folder).close();
            return Finding.ok("state.mode", "mode", mode).with("mode", mode);
        } catch (SessionException e) {
            return Finding.ok("state.mode", "mode", mode).with("mode", mode).missing(
                    "Belay refuses a folder that other users own or can enter: they could read or plant its token.",
                    String.valueOf(e.details().getOrDefault(PrivateFolder.FIX, "")));
        } catch (IOException | UnsupportedOperationException e) {
            return unknown("state.mode", "mode", e).with("mode", mode);
        }
    }

    private static Finding space(Path folder) {
        try {
            FileStore store = Files.getFileStore(folder);
            long free = store.getUsableSpace();
            String type = store.type();
            Finding finding = Finding.ok("state.space", "space", RoomFacts.bytes(free) + " free, " + type)
                    .with("type", type).with("free_bytes", free);
            if (free < WANTED_BYTES) {
                return finding.note(
                        "When the disk is full, sessions keep running, but their output has gaps.",
                        "free space on the file system of " + quoted(folder) + ": " + RoomFacts.bytes(WANTED_BYTES)
                                + " is enough for " + Limits.DEFAULT.maxSessions() + " sessions");
            }
            return !type.equals("tmpfs") && !type.equals("ramfs")
                    ? finding
                    : finding.note(
                            "This file system is in memory. Output uses up to "
                                    + RoomFacts.bytes(Limits.DEFAULT.logBytes()) + " of it per session.",
                            "export XDG_STATE_HOME=DIR, where DIR is on a disk");
        } catch (IOException e) {
            return unknown("state.space", "space", e).with("type", "").with("free_bytes", 0);
        }
    }

    private static Finding leftovers(Path folder) {
        try {
            StateFolder.Instances instances = StateFolder.instances(folder);
            int left = instances.killed();
            int running = instances.running();
            String value = (left == 0 ? "none" : "of " + left + (left == 1 ? " instance" : " instances"))
                    + (running == 0 ? "" : "; " + running + " running now");
            Finding finding = Finding.ok("state.leftovers", "leftovers", value)
                    .with("killed_instances", left).with("running_instances", running);
            return left == 0
                    ? finding
                    : finding.note(
                            "A killed Belay left files behind. The next Belay to start deletes them.",
                            "belay run -- true");
        } catch (IOException e) {
            return unknown("state.leftovers", "leftovers", e);
        }
    }

    private static Finding unknown(String key, String label, Exception why) {
        return Finding.ok(key, label, "unknown").note("Cannot be read: " + why.getMessage(), "");
    }

    /// The folder itself, or its nearest ancestor that exists.
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
