package dev.belay.linux;

import dev.belay.Isolation;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Keeps a sandboxed session from changing the protected paths of its workspace, see docs/adr/0013. Ends with the
/// session's processes.
final class Protection implements AutoCloseable {
    private final GuardedFolder workspace;
    private final boolean needed;
    private final Predicate<Path> opened;
    private @Nullable GitProtection git;
    private @Nullable Changes changes;
    private volatile List<String> changed = List.of();
    private boolean closed;

    private Protection(Workspace workspace, Shown shown, Sandbox.@Nullable User user, Libc libc, Arena arena) {
        Isolation isolation = shown.isolation();
        // A read-only workspace is protected as a whole.
        this.needed = !isolation.readOnly() && !isolation.protectedPaths().isEmpty();
        this.opened = file -> isolation.writable().stream()
                .anyMatch(open -> !open.equals(shown.workspace()) && file.startsWith(open));
        this.workspace = new GuardedFolder(
                shown.workspace(), user, shown::writable, opened, workspace.openToRead(libc, arena));
    }

    static Protection of(Workspace workspace, Shown shown, Sandbox.@Nullable User user) {
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            Protection protection = new Protection(workspace, shown, user, libc, arena);
            boolean done = false;
            try {
                if (protection.needed) {
                    protection.begin(libc, arena, shown.isolation().protectedPaths());
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

    private void begin(Libc libc, Arena arena, List<String> paths) {
        workspace.share(libc);
        Beneath files = workspace.files(libc, arena);
        changes = Changes.since(files);
        boolean withGit = paths.contains(GitProtection.FOLDER)
                && !opened.test(workspace.path().resolve(GitProtection.FOLDER));
        // First those that the settings name: what a session can write names others later, and weakens none of these.
        paths.stream()
                .filter(path -> !withGit || !Path.of(path).startsWith(GitProtection.FOLDER))
                .forEach(path -> workspace.protect(files, path, true));
        Isolation.PROTECTED_IF_PRESENT.forEach(path -> workspace.protect(files, path, false));
        if (withGit) {
            git = GitProtection.of(workspace, libc, arena);
        }
    }

    /// The mounts. None that can be written is below one that cannot.
    List<Mount> mounts() {
        List<Mount> all = new ArrayList<>(workspace.mounts());
        if (git != null) {
            all.addAll(git.mounts());
        }
        return all.stream()
                .filter(mount -> !mount.writable() || all.stream().noneMatch(above -> !above.writable()
                        && mount.at().startsWith(above.at()) && !mount.at().equals(above.at())))
                .toList();
    }

    /// Files that run outside later, such as build scripts, that were changed. Known after [#close].
    List<String> changed() {
        return changed;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try (Arena arena = Arena.ofConfined();
                workspace) {
            Libc libc = new Libc(arena);
            Beneath files = workspace.files(libc, arena);
            List<String> found = new ArrayList<>(workspace.replaced(files));
            if (changes != null) {
                found.addAll(changes.until(files));
            }
            changed = List.copyOf(found);
            // If so, no other session can begin until this is done.
            boolean last = needed && workspace.last(libc);
            if (git != null) {
                git.end(last).forEach(link -> found.addFirst(GitProtection.FOLDER + "/" + link));
                changed = List.copyOf(found);
            }
            if (last) {
                workspace.undo(files);
            }
        }
    }
}
