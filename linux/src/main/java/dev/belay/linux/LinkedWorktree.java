package dev.belay.linux;

import java.lang.foreign.Arena;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A workspace that is a worktree of a Git repository elsewhere, to which its `.git` file points.
///
/// The session may have written that file. So the repository counts only if it names the workspace as its worktree.
///
/// @param repository without links
/// @param fd         of the repository; the caller's to close
/// @param commondir  the file by which Git finds the repository from its folder for this worktree
record LinkedWorktree(Path repository, int fd, Path commondir) {
    private static final String POINTER = "gitdir: ";

    /// Finds the repository of a workspace.
    ///
    /// @return null if the workspace is no worktree of another one
    static @Nullable LinkedWorktree of(
            Path workspace, Sandbox.@Nullable User user, Beneath files, Libc libc, Arena arena) {
        Path folder = path(workspace, GuardedFolder.text(files, GitProtection.FOLDER), POINTER);
        Path worktrees = folder == null ? null : folder.getParent();
        Path repository = worktrees == null ? null : worktrees.getParent();
        if (folder == null || worktrees == null || repository == null || folder.startsWith(workspace)
                || !worktrees.endsWith("worktrees")) {
            return null;
        }
        TrustedPath opened = TrustedPath.open(libc, arena, repository, List.of(workspace));
        if (opened.fd() < 0) {
            return null;
        }
        try {
            Beneath there = new Beneath(libc, arena, opened.fd());
            String name = "worktrees/" + folder.getFileName() + "/";
            Path back = path(repository, GuardedFolder.text(there, name + "gitdir"), "");
            Path common = path(folder, GuardedFolder.text(there, name + "commondir"), "");
            if (!workspace.resolve(GitProtection.FOLDER).equals(back) || !repository.equals(common)
                    || workspace.startsWith(opened.real())
                    || Stream.of("HEAD", "objects", "refs").anyMatch(part -> there.look(part) == null)) {
                return null;
            }
            Sandbox.requireNarrow(opened.real(), user);
            int fd = there.open(".", Abi.O_RDONLY | Abi.current().oDirectory(), 0);
            return fd < 0 ? null : new LinkedWorktree(opened.real(), fd, opened.real().resolve(name + "commondir"));
        } finally {
            libc.close(opened.fd());
        }
    }

    private static @Nullable Path path(Path base, @Nullable String text, String prefix) {
        if (text == null || !text.startsWith(prefix)) {
            return null;
        }
        try {
            return base.resolve(text.substring(prefix.length()).strip()).normalize();
        } catch (InvalidPathException _) {
            return null;
        }
    }
}
