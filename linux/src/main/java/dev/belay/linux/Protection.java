package dev.belay.linux;

import dev.belay.Isolation;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Keeps a sandboxed session from changing the protected paths of its workspace, see docs/adr/0013.
///
/// What exists becomes a read-only mount, and so cannot be renamed or replaced; the folders above it become mounts too.
/// A name that is free is reserved: an empty folder on the disk carries an empty mount, and is removed after the last
/// sandbox of the workspace. A lock on the workspace's folder counts the sandboxes, whichever Belay they belong to.
final class Protection implements AutoCloseable {
    /// The time of change by which reserved folders are recognised after a crash. It is gone once somebody uses one.
    private static final Instant RESERVED = Instant.ofEpochSecond(86_400);
    private static final int FOLDER_MODE = 0755;
    /// Errors that say that nothing can be made in a place.
    static final Set<Integer> UNWRITABLE = Set.of(Errno.EACCES, Errno.EPERM, Errno.EROFS);
    /// Somebody who ends holds the lock for a moment.
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final long POLL_NANOS = 1_000_000;

    private final Path workspace;
    private final Shown shown;
    private final Isolation isolation;
    private final Sandbox.@Nullable User user;
    /// Holds the lock.
    private final int folder;
    private final Map<Path, Mount> mounts = new TreeMap<>();
    private final List<String> reserved = new ArrayList<>();
    private @Nullable GitProtection git;
    private boolean closed;

    /// @param folder a descriptor of the workspace, which this closes
    private Protection(Shown shown, Sandbox.@Nullable User user, int folder) {
        this.shown = shown;
        this.workspace = shown.workspace();
        this.isolation = shown.isolation();
        this.user = user;
        this.folder = folder;
    }

    static Protection of(Workspace workspace, Shown shown, Sandbox.@Nullable User user) {
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            Protection protection = new Protection(shown, user, workspace.openToRead(libc, arena));
            boolean done = false;
            try {
                // A read-only workspace is protected as a whole.
                if (!shown.isolation().readOnly() && !shown.isolation().protectedPaths().isEmpty()) {
                    protection.begin(libc, arena);
                }
                done = true;
            } finally {
                if (!done) {
                    protection.close();
                }
            }
            return protection;
        }
    }

    private void begin(Libc libc, Arena arena) {
        share(libc);
        Beneath files = new Beneath(libc, arena, folder);
        boolean all = isolation.protectedPaths().contains(GitProtection.FOLDER);
        for (String path : isolation.protectedPaths()) {
            if (all && path.startsWith(GitProtection.FOLDER + "/")) {
                continue;
            }
            if (path.equals(GitProtection.FOLDER) && !opened(path)) {
                git = new GitProtection(this, workspace, user);
                git.begin(files);
            } else {
                protect(files, path, !Isolation.ONLY_IF_PRESENT.contains(path));
            }
        }
    }

    private void share(Libc libc) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        int result = libc.flock(folder, Abi.LOCK_SH | Abi.LOCK_NB);
        while (result == -Errno.EAGAIN && System.nanoTime() < until) {
            LockSupport.parkNanos(POLL_NANOS);
            result = libc.flock(folder, Abi.LOCK_SH | Abi.LOCK_NB);
        }
        if (result < 0) {
            throw Sandbox.refusal("the folder " + workspace + " cannot be locked: " + Errno.text(-result)
                    + ". A sandbox needs the lock to protect files in it; set protected to [] to do without.");
        }
    }

    /// The mounts, parents first.
    Collection<Mount> mounts() {
        return mounts.values();
    }

    // --- for this and for Git ---

    /// Whether the settings let sessions write a path although it is protected.
    boolean opened(String path) {
        Path file = workspace.resolve(path);
        return isolation.writable().stream().anyMatch(open -> !open.equals(workspace) && file.startsWith(open));
    }

    /// Makes a path read-only.
    ///
    /// @param reserve whether to keep the session from making it if it is not there
    /// @return whether it was there
    boolean protect(Beneath files, String path, boolean reserve) {
        StringBuilder prefix = new StringBuilder();
        for (Iterator<Path> names = Path.of(path).normalize().iterator(); names.hasNext();) {
            prefix.append(prefix.isEmpty() ? "" : "/").append(names.next());
            String now = prefix.toString();
            if (opened(now)) {
                return true;
            }
            FileFacts facts = files.look(now);
            if (facts == null || reserved(files, now, facts)) {
                if (reserve) {
                    reserve(files, now);
                }
                return false;
            }
            requireNoLink(files, now, facts);
            if (!names.hasNext() || !facts.folder()) {
                mount(now, now, false, facts);
                return true;
            }
            // A mount cannot be renamed, but the folder above it could be, and another put in its place.
            mount(now, now, shown.writable(workspace.resolve(now)), facts);
        }
        return false;
    }

    void requireNoLink(Beneath files, String path, FileFacts facts) {
        if (facts.link()) {
            throw TrustedPath.linkRefused(workspace.resolve(path), files.target(path));
        }
    }

    /// Mounts a path of the workspace in the place of another, or of itself. Of two mounts in one place the read-only
    /// one counts.
    void mount(String at, String source, boolean writable, FileFacts expect) {
        mount(Mount.of(workspace.resolve(at), workspace.resolve(source), writable, expect));
    }

    void mount(Mount mount) {
        mounts.merge(mount.at(), mount, (before, after) -> after.writable() ? before : after);
    }

    private void reserve(Beneath files, String path) {
        int made = files.makeFolder(path, FOLDER_MODE);
        if (UNWRITABLE.contains(-made)) {
            // Nor can the session make it.
            return;
        }
        if (made < 0 && made != -Errno.EEXIST) {
            throw Spawner.failed("reserve " + path + " in the workspace", -made);
        }
        if (made == 0) {
            files.modified(path, RESERVED);
        }
        reserved.add(path);
        mount(Mount.empty(workspace.resolve(path)));
    }

    private static boolean reserved(Beneath files, String path, FileFacts facts) {
        return facts.folder() && facts.modified().equals(RESERVED) && files.list(path).isEmpty();
    }

    /// Undoes what was reserved, after the last sandbox of the workspace. The session's processes must have ended.
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            try {
                end(libc, new Beneath(libc, arena, folder));
            } finally {
                libc.close(folder);
            }
        }
    }

    private void end(Libc libc, Beneath files) {
        if (git != null) {
            git.end(files);
        }
        if ((reserved.isEmpty() && git == null) || libc.flock(folder, Abi.LOCK_EX | Abi.LOCK_NB) < 0) {
            return;
        }
        if (git != null) {
            git.endLast(files);
        }
        for (String path : reserved.reversed()) {
            FileFacts facts = files.look(path);
            if (facts != null && reserved(files, path, facts)) {
                files.removeFolder(path);
            }
        }
    }
}
