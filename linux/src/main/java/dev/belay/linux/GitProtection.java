package dev.belay.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Protects the Git repository of a workspace: sessions commit, branch and fetch in it, but cannot change what makes
/// Git run programs, see docs/adr/0013.
///
/// Settings and hooks are read-only. Git inside reads and writes settings in a private folder, to which `commondir`
/// points there; the other entries of that folder are links to the real ones. When the session ends, new remotes,
/// branches and the user's name are taken over.
final class GitProtection {
    static final String FOLDER = ".git";
    /// Where the private settings are inside.
    static final Path INSIDE = Path.of("/run/belay/git");
    private static final String COMMONDIR = "commondir";
    /// Means the repository itself, so that it changes nothing outside.
    private static final String SELF = ".\n";
    static final String CONFIG = "config";
    private static final String INFO = "info";
    private static final String ALTERNATES = "objects/info/alternates";
    /// What all worktrees of a repository share.
    private static final List<String> SHARED =
            List.of("objects", "refs", "packed-refs", "logs", "shallow", "worktrees", "hooks");
    private static final List<String> SHARED_IF_PRESENT =
            List.of("lfs", "rr-cache", "svn", "branches", "remotes", "annex", "lost-found");
    static final int MAX_CONFIG = 1 << 20;
    /// Each takes several mounts. Beyond these, worktrees and submodules are read-only as a whole.
    private static final int MAX_PARTS = 32;
    private static final int MAX_DEPTH = 4;

    private final GuardedFolder workspace;
    private final GuardedFolder repository;
    private final @Nullable NewRepository made;
    private @Nullable OwnFolder own;

    private GitProtection(GuardedFolder workspace, GuardedFolder repository, @Nullable NewRepository made) {
        this.workspace = workspace;
        this.repository = repository;
        this.made = made;
    }

    /// Begins to protect the repository of a workspace.
    ///
    /// @return null if there is nothing to protect beyond a file that the workspace protects
    static @Nullable GitProtection of(GuardedFolder workspace, Libc libc, Arena arena) {
        Beneath files = workspace.files(libc, arena);
        FileFacts facts = files.look(FOLDER);
        if (facts == null || NewRepository.begun(files)) {
            return NewRepository.begin(workspace, files) ? begin(workspace, libc, arena, FOLDER, true) : null;
        }
        workspace.requireNoLink(files, FOLDER, facts);
        if (facts.folder()) {
            return begin(workspace, libc, arena, FOLDER, false);
        }
        // A worktree or a submodule: its repository is elsewhere.
        workspace.protect(files, FOLDER, true);
        LinkedWorktree worktree = LinkedWorktree.of(workspace.path(), workspace.user(), files, libc, arena);
        return worktree == null ? null : linked(workspace, worktree, libc, arena);
    }

    private static GitProtection begin(
            GuardedFolder workspace, Libc libc, Arena arena, String folder, boolean isNew) {
        int fd = workspace.files(libc, arena).open(folder, Abi.O_RDONLY | Abi.current().oDirectory(), 0);
        if (fd < 0) {
            throw Spawner.failed("protect the Git repository of the workspace", -fd);
        }
        GuardedFolder repository = new GuardedFolder(
                workspace.path().resolve(folder), workspace.user(), _ -> true, _ -> false, fd);
        GitProtection git = new GitProtection(workspace, repository, isNew ? new NewRepository(repository) : null);
        return git.begun(libc, arena, workspace.path().resolve(folder).resolve(COMMONDIR));
    }

    private static GitProtection linked(GuardedFolder workspace, LinkedWorktree worktree, Libc libc, Arena arena) {
        GuardedFolder repository = new GuardedFolder(
                worktree.repository(), workspace.user(), _ -> true, _ -> false, worktree.fd());
        return new GitProtection(workspace, repository, null).begun(libc, arena, worktree.commondir());
    }

    /// @param pointer the file that tells Git inside where its settings are
    private GitProtection begun(Libc libc, Arena arena, Path pointer) {
        boolean done = false;
        try {
            repository.share(libc);
            Beneath files = repository.files(libc, arena);
            if (made != null) {
                made.mount(files);
            } else {
                FileFacts facts = files.look(".");
                repository.mount(Mount.of(
                        repository.path(), repository.path(), true, java.util.Objects.requireNonNull(facts)));
                Beneath inWorkspace = workspace.files(libc, arena);
                GitConfig config = protect(repository, files, "");
                runByGit(inWorkspace, config);
                worktrees(files, inWorkspace);
                submodules(files);
                checkedOut(inWorkspace);
                privateSettings(files, pointer);
            }
            done = true;
        } finally {
            if (!done) {
                end(false);
            }
        }
        return this;
    }

    Collection<Mount> mounts() {
        return repository.mounts();
    }

    /// Makes read-only what Git reads its settings and hooks from.
    ///
    /// @param in   the folder that holds the repository
    /// @param part the repository's place in it: empty, or a path that ends with a slash
    private static GitConfig protect(GuardedFolder in, Beneath files, String part) {
        in.makeFile(files, part + CONFIG, "");
        in.protect(files, part + CONFIG, false);
        in.protect(files, part + "hooks", true);
        in.protect(files, part + INFO, true);
        GitConfig config = config(files, part + CONFIG);
        if (!config.values("extensions", "worktreeconfig").isEmpty()) {
            in.makeFile(files, part + "config.worktree", "");
        }
        in.protect(files, part + "config.worktree", false);
        in.makeFolder(files, part + "objects");
        in.makeFolder(files, part + "objects/info");
        in.makeFile(files, part + ALTERNATES, "");
        in.protect(files, part + ALTERNATES, false);
        return config;
    }

    /// The same for a repository that has no private settings.
    private static void protectWhole(GuardedFolder in, Beneath files, String part) {
        protect(in, files, part);
        in.makeFile(files, part + COMMONDIR, SELF);
        in.protect(files, part + COMMONDIR, false);
    }

    static GitConfig config(Beneath files, String file) {
        String text = GuardedFolder.text(files, file);
        return GitConfig.parse(text == null ? "" : text);
    }

    /// Hooks and settings elsewhere in the workspace that the repository's own settings name.
    private void runByGit(Beneath files, GitConfig config) {
        config.values("core", "hookspath").forEach(file -> inWorkspace(files, workspace.path(), file));
        config.values("include", "path").forEach(file -> inWorkspace(files, repository.path(), file));
        config.values("includeif", "path").forEach(file -> inWorkspace(files, repository.path(), file));
    }

    private void inWorkspace(Beneath files, Path base, String file) {
        if (file.startsWith("~") || file.indexOf('\0') >= 0) {
            return;
        }
        Path target = base.resolve(file).normalize();
        // What is absolute and elsewhere, sessions cannot write.
        if (target.startsWith(workspace.path()) && !target.equals(workspace.path())
                && !target.startsWith(repository.path())) {
            workspace.protect(files, workspace.path().relativize(target).toString(), true);
        }
    }

    /// Protects the worktrees that exist.
    ///
    /// @param inWorkspace files of the workspace
    private void worktrees(Beneath files, Beneath inWorkspace) {
        List<String> names = files.list("worktrees");
        if (names.size() > MAX_PARTS) {
            repository.protect(files, "worktrees", false);
            return;
        }
        for (String name : names) {
            for (String file : List.of(COMMONDIR, "gitdir", "config.worktree")) {
                repository.protect(files, "worktrees/" + name + "/" + file, false);
            }
            String pointer = GuardedFolder.text(files, "worktrees/" + name + "/gitdir");
            if (pointer != null) {
                inWorkspace(inWorkspace, repository.path().resolve("worktrees/" + name), pointer.strip());
            }
        }
    }

    private void submodules(Beneath files) {
        List<String> found = new ArrayList<>();
        find(files, "modules", 0, found);
        if (found.size() > MAX_PARTS) {
            repository.protect(files, "modules", false);
            return;
        }
        for (String one : found) {
            protectWhole(repository, files, one + "/");
        }
    }

    /// Git also runs in the submodules that are checked out: their `.git` says where their settings are.
    private void checkedOut(Beneath files) {
        for (String name : GitIndex.of(files, MAX_PARTS, (mode, _) -> mode == GitIndex.SUBMODULE)) {
            FileFacts facts = files.look(name + "/" + FOLDER);
            if (facts != null && facts.folder()) {
                protectWhole(workspace, files, name + "/" + FOLDER + "/");
            } else {
                workspace.protect(files, name + "/" + FOLDER, true);
            }
        }
    }

    private static void find(Beneath files, String folder, int depth, List<String> found) {
        for (String name : depth > MAX_DEPTH || found.size() > MAX_PARTS ? List.<String>of() : files.list(folder)) {
            String one = folder + "/" + name;
            if (files.look(one + "/HEAD") != null && files.look(one + "/" + CONFIG) != null) {
                found.add(one);
                find(files, one + "/modules", depth + 1, found);
            } else {
                find(files, one, depth + 1, found);
            }
        }
    }

    // --- private settings ---

    private void privateSettings(Beneath files, Path pointer) {
        if (!repository.makeFile(files, COMMONDIR, SELF)) {
            // Somebody else's, or nobody can write here: then Git's settings stay as they are.
            repository.protect(files, COMMONDIR, true);
            return;
        }
        repository.protect(files, COMMONDIR, false);
        repository.makeFolder(files, "logs");
        repository.makeFolder(files, "worktrees");
        byte[] config = files.read(CONFIG, MAX_CONFIG);
        OwnFolder folder = new OwnFolder(
                repository.user(), path -> fill(files, path, config == null ? new byte[0] : config));
        own = folder;
        repository.mount(folder.mount("git", INSIDE, true));
        repository.mount(folder.mount(COMMONDIR, pointer, false));
    }

    private void fill(Beneath files, Path folder, byte[] config) throws IOException {
        Files.writeString(folder.resolve(COMMONDIR), INSIDE + "\n");
        Path settings = Files.createDirectory(folder.resolve("git"));
        Files.write(settings.resolve(CONFIG), config);
        // Git also writes lists for simple servers here, which nobody needs.
        Path info = Files.createDirectory(settings.resolve(INFO));
        for (String name : List.of("exclude", "attributes", "grafts")) {
            byte[] content = files.read(INFO + "/" + name, MAX_CONFIG);
            if (content != null) {
                Files.write(info.resolve(name), content);
            }
        }
        List<String> names = new ArrayList<>(SHARED);
        if (repository.path().startsWith(workspace.path())) {
            // Git wants one for the main worktree, and must not take the one inside for another.
            Files.writeString(settings.resolve("HEAD"), "ref: refs/heads/none\n");
        } else {
            names.addAll(List.of("HEAD", "index"));
        }
        SHARED_IF_PRESENT.stream().filter(name -> files.look(name) != null).forEach(names::add);
        for (String name : names) {
            Files.createSymbolicLink(settings.resolve(name), repository.path().resolve(name));
        }
    }

    // --- the end ---

    /// Ends the protection for a session whose processes have ended.
    ///
    /// @param last whether it was the last of the workspace
    void end(boolean last) {
        try (Arena arena = Arena.ofConfined();
                repository) {
            Libc libc = new Libc(arena);
            Beneath files = repository.files(libc, arena);
            takeOver(files);
            if (repository.last(libc)) {
                repository.undo(files);
            }
            if (last && made != null) {
                made.takeOver(files, workspace.files(libc, arena));
            }
        }
    }

    /// Takes over the settings that the session has added.
    private void takeOver(Beneath files) {
        OwnFolder folder = own;
        if (folder == null) {
            return;
        }
        try (folder) {
            byte[] after = folder.read("git/" + CONFIG, MAX_CONFIG);
            String lock = CONFIG + ".lock";
            if (after != null && files.makeFile(lock, "", 0644) >= 0) {
                try {
                    String added = config(files, CONFIG)
                            .additions(GitConfig.parse(new String(after, StandardCharsets.UTF_8)));
                    int written = added.isEmpty() ? 0 : files.append(CONFIG, "\n" + added);
                    if (written < 0) {
                        told("take over Git's settings", written);
                    }
                } finally {
                    files.removeFile(lock);
                }
            }
        }
    }

    static void told(String what, int result) {
        Log.LOG.log(System.Logger.Level.WARNING, "could not " + what + ": " + Errno.text(-result));
    }
}
