package dev.belay.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
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
    static final Path INSIDE = Path.of("/run/belay-git");
    private static final String COMMONDIR = "commondir";
    /// Means the repository itself, so that it changes nothing outside.
    private static final String SELF = ".\n";
    static final String CONFIG = "config";
    private static final String INFO = "info";
    private static final String ALTERNATES = "objects/info/alternates";
    /// What all worktrees of a repository share.
    private static final List<String> SHARED =
            List.of("objects", "refs", "packed-refs", "logs", "shallow", "worktrees", "hooks");
    /// Where links do no harm, or cannot be made.
    private static final Set<String> NO_LINKS = Set.of("objects", "hooks", "info", "lfs", "annex");
    private static final List<String> SHARED_IF_PRESENT =
            List.of("lfs", "rr-cache", "svn", "branches", "remotes", "annex", "lost-found");
    static final int MAX_CONFIG = 1 << 20;
    private static final int OTHERS_READ = 0004;
    /// Each takes several mounts. Beyond these, worktrees and submodules are read-only as a whole.
    private static final int MAX_PARTS = 32;
    private static final int MAX_DEPTH = 4;
    /// Submodules that are checked out. With more, a sandbox is refused.
    private static final int MAX_CHECKED_OUT = 256;
    private static final int MAX_INCLUDES = 64;

    private final GuardedFolder workspace;
    private final GuardedFolder repository;
    private final @Nullable NewRepository made;
    /// The index of the workspace, relative to the repository.
    private final String index;
    private final Instant since = Instant.now().minus(Changes.TICK);
    /// Whether Git knows the user's name from elsewhere.
    private boolean named;
    private @Nullable OwnFolder own;

    private GitProtection(
            GuardedFolder workspace, GuardedFolder repository, @Nullable NewRepository made, String index) {
        this.workspace = workspace;
        this.repository = repository;
        this.made = made;
        this.index = index;
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
        GitProtection git = new GitProtection(
                workspace, repository, isNew ? new NewRepository(repository) : null, "index");
        return git.begun(libc, arena, workspace.path().resolve(folder).resolve(COMMONDIR));
    }

    private static GitProtection linked(GuardedFolder workspace, LinkedWorktree worktree, Libc libc, Arena arena) {
        GuardedFolder repository = new GuardedFolder(
                worktree.repository(), workspace.user(), _ -> true, _ -> false, worktree.fd());
        String index = worktree.repository().relativize(worktree.commondir().resolveSibling("index")).toString();
        return new GitProtection(workspace, repository, null, index).begun(libc, arena, worktree.commondir());
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
                FileFacts facts = Objects.requireNonNull(files.look("."));
                repository.mount(Mount.of(repository.path(), repository.path(), true, facts));
                Beneath inWorkspace = workspace.files(libc, arena);
                GitConfig config = protect(repository, files, "");
                boolean perWorktree = !config.values("extensions", "worktreeconfig").isEmpty();
                runByGit(inWorkspace, files);
                worktrees(files, inWorkspace, perWorktree);
                submodules(files, "modules");
                checkedOut(files, inWorkspace);
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

    /// Hooks and settings elsewhere in the workspace that Git's settings name, wherever these are.
    private void runByGit(Beneath inWorkspace, Beneath files) {
        Path home = workspace.user() == null
                ? Path.of(System.getProperty("user.home", "/"))
                : workspace.user().home();
        Deque<Path> settings = new ArrayDeque<>(List.of(
                repository.path().resolve(CONFIG), repository.path().resolve("config.worktree"),
                home.resolve(".gitconfig"), home.resolve(".config/git/config"), Path.of("/etc/gitconfig")));
        Set<Path> read = new HashSet<>();
        while (!settings.isEmpty() && read.size() < MAX_INCLUDES) {
            Path file = settings.remove();
            if (!read.add(file)) {
                continue;
            }
            GitConfig config = GitConfig.parse(settings(inWorkspace, file));
            named |= !file.startsWith(repository.path()) && !config.values("user", "name").isEmpty();
            config.values("core", "hookspath").forEach(hooks -> {
                inWorkspace(inWorkspace, workspace.path(), hooks);
                linkedHooks(inWorkspace, workspace.path().resolve(hooks).normalize());
            });
            for (String section : List.of("include", "includeif")) {
                for (String included : config.values(section, "path")) {
                    Path target = path(Objects.requireNonNull(file.getParent()), home, included);
                    if (target != null) {
                        inWorkspace(inWorkspace, target.getParent(), target.toString());
                        settings.add(target);
                    }
                }
            }
        }
        files.list("hooks").forEach(hook -> {
            String target = files.target("hooks/" + hook);
            if (!target.isEmpty()) {
                inWorkspace(inWorkspace, repository.path().resolve("hooks"), target);
            }
        });
    }

    /// Hooks that are links to other files of the workspace.
    private void linkedHooks(Beneath inWorkspace, Path hooks) {
        if (hooks.startsWith(workspace.path()) && !hooks.equals(workspace.path())) {
            String folder = workspace.path().relativize(hooks).toString();
            for (String hook : inWorkspace.list(folder)) {
                String target = inWorkspace.target(folder + "/" + hook);
                if (!target.isEmpty()) {
                    inWorkspace(inWorkspace, hooks, target);
                }
            }
        }
    }

    private static @Nullable Path path(Path base, Path home, String text) {
        try {
            return (text.startsWith("~/") ? home.resolve(text.substring(2)) : base.resolve(text)).normalize();
        } catch (InvalidPathException _) {
            return null;
        }
    }

    /// What a file of settings says. In the workspace, no link is followed.
    private String settings(Beneath inWorkspace, Path file) {
        if (file.startsWith(workspace.path())) {
            String text = GuardedFolder.text(inWorkspace, workspace.path().relativize(file).toString());
            return text == null ? "" : text;
        }
        try {
            return Files.isRegularFile(file) && Files.size(file) <= MAX_CONFIG ? Files.readString(file) : "";
        } catch (IOException e) {
            // Git cannot read it either.
            Log.LOG.log(System.Logger.Level.DEBUG, "cannot read " + file, e);
            return "";
        }
    }

    private void inWorkspace(Beneath files, @Nullable Path base, String file) {
        if (base == null || file.startsWith("~") || file.indexOf('\0') >= 0) {
            return;
        }
        Path target = base.resolve(file).normalize();
        // What is elsewhere, sessions cannot write.
        if (target.startsWith(workspace.path()) && !target.equals(workspace.path())
                && !target.startsWith(repository.path())) {
            workspace.protect(files, workspace.path().relativize(target).toString(), true);
        }
    }

    /// Protects the worktrees that exist.
    ///
    /// @param inWorkspace files of the workspace
    /// @param perWorktree whether Git reads settings of each worktree
    private void worktrees(Beneath files, Beneath inWorkspace, boolean perWorktree) {
        List<String> names = files.list("worktrees");
        if (names.size() > MAX_PARTS) {
            repository.protect(files, "worktrees", false);
            return;
        }
        for (String name : names) {
            if (perWorktree) {
                repository.makeFile(files, "worktrees/" + name + "/config.worktree", "");
            }
            for (String file : List.of(COMMONDIR, "gitdir", "config.worktree")) {
                repository.protect(files, "worktrees/" + name + "/" + file, false);
            }
            submodules(files, "worktrees/" + name + "/modules");
            String pointer = GuardedFolder.text(files, "worktrees/" + name + "/gitdir");
            if (pointer != null) {
                inWorkspace(inWorkspace, repository.path().resolve("worktrees/" + name), pointer.strip());
            }
        }
    }

    private void submodules(Beneath files, String folder) {
        List<String> found = new ArrayList<>();
        if (!find(files, folder, 0, found)) {
            repository.protect(files, folder, false);
            return;
        }
        for (String one : found) {
            protectWhole(repository, files, one + "/");
        }
    }

    /// @return false if there may be more
    private static boolean find(Beneath files, String folder, int depth, List<String> found) {
        for (Beneath.Entry entry : files.entries(folder)) {
            String one = folder + "/" + entry.name();
            if (depth > MAX_DEPTH || found.size() > MAX_PARTS) {
                return false;
            }
            boolean repository =
                    Stream.of("HEAD", CONFIG, "objects").anyMatch(part -> files.look(one + "/" + part) != null);
            if (repository) {
                found.add(one);
            }
            if (entry.folder() && !find(files, repository ? one + "/modules" : one, depth + 1, found)) {
                return false;
            }
        }
        return true;
    }

    /// Git also runs in the submodules that are checked out: their `.git` says where their settings are.
    private void checkedOut(Beneath files, Beneath inWorkspace) {
        List<String> names = GitIndex.of(
                files, index, CONFIG, MAX_CHECKED_OUT, (mode, _) -> mode == GitIndex.SUBMODULE);
        if (names.size() == MAX_CHECKED_OUT) {
            throw Sandbox.refusal("the repository has " + MAX_CHECKED_OUT + " submodules or more, which are too many to"
                    + " protect. Take \".git\" out of protected, or use a workspace without them.");
        }
        for (String name : names) {
            Path inside = Path.of(name).normalize();
            if (inside.isAbsolute() || inside.startsWith("..") || inside.startsWith(FOLDER)
                    || inside.toString().isEmpty()) {
                continue;
            }
            FileFacts facts = inWorkspace.look(inside + "/" + FOLDER);
            if (facts != null && facts.folder()) {
                protectWhole(workspace, inWorkspace, inside + "/" + FOLDER + "/");
            } else {
                workspace.protect(inWorkspace, inside + "/" + FOLDER, true);
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
        byte[] config = readable(files, CONFIG);
        OwnFolder folder = new OwnFolder(
                repository.user(), path -> fill(files, path, config == null ? new byte[0] : config));
        own = folder;
        repository.mount(folder.mount("git", INSIDE, true));
        repository.mount(folder.mount(COMMONDIR, pointer, false));
    }

    /// The content of a file that the session's user may read; null if there is none.
    private byte @Nullable [] readable(Beneath files, String file) {
        FileFacts facts = files.look(file);
        Sandbox.User user = repository.user();
        boolean may = facts != null
                && (user == null || facts.owner() == user.uid() || (facts.mode() & OTHERS_READ) != 0);
        return may ? files.read(file, MAX_CONFIG) : null;
    }

    private void fill(Beneath files, Path folder, byte[] config) throws IOException {
        Files.writeString(folder.resolve(COMMONDIR), INSIDE + "\n");
        Path settings = Files.createDirectory(folder.resolve("git"));
        Files.write(settings.resolve(CONFIG), config);
        // Git also writes lists for simple servers here, which nobody needs.
        Path info = Files.createDirectory(settings.resolve(INFO));
        for (String name : List.of("exclude", "attributes", "grafts")) {
            byte[] content = readable(files, INFO + "/" + name);
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
    /// @return what to look at in the repository: protected files that somebody replaced, and links that the session
    ///         had made, through which Git outside would write elsewhere; these are removed
    List<String> end(boolean last) {
        try (Arena arena = Arena.ofConfined();
                repository) {
            Libc libc = new Libc(arena);
            Beneath files = repository.files(libc, arena);
            List<String> links = new ArrayList<>(repository.replaced(files));
            if (made == null) {
                removeLinks(files, ".", links);
            }
            takeOver(files);
            if (repository.last(libc)) {
                repository.undo(files);
            }
            if (last && made != null) {
                made.takeOver(files, workspace.files(libc, arena));
            }
            return links;
        }
    }

    /// Removes links that are new. Git makes none but those of `git worktree` and submodules, which are files.
    private void removeLinks(Beneath files, String folder, List<String> links) {
        String prefix = folder.equals(".") ? "" : folder + "/";
        for (Beneath.Entry entry : files.entries(folder)) {
            String name = prefix + entry.name();
            if (entry.folder()) {
                if (!NO_LINKS.contains(name) && links.size() < MAX_PARTS) {
                    removeLinks(files, name, links);
                }
                continue;
            }
            FileFacts facts = files.look(name);
            if (facts != null && facts.link() && facts.changed().isAfter(since)) {
                files.removeFile(name);
                links.add(name);
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
                            .additions(GitConfig.parse(new String(after, StandardCharsets.UTF_8)), named);
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
