package dev.belay.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Protects the Git repository of a workspace: sessions commit, branch and fetch in it, but cannot change what makes
/// Git run programs, see docs/adr/0013.
///
/// Settings and hooks are read-only. Git inside reads and writes settings in a private folder, to which `commondir`
/// points there; the other entries of that folder are links to the real ones. When the session ends, new remotes,
/// branches and the user's name are taken over. If there is no repository, a private folder stands in for it.
final class GitProtection {
    static final String FOLDER = ".git";
    /// Where the private settings are inside.
    static final Path INSIDE = Path.of("/run/belay/git");
    private static final String STAND_IN = ".git/belay-new";
    private static final String COMMONDIR = "commondir";
    /// Means the repository itself, so that it changes nothing outside.
    private static final String SELF = ".\n";
    private static final String CONFIG = "config";
    private static final String INFO = "info";
    private static final String ALTERNATES = "objects/info/alternates";
    /// What all worktrees of a repository share.
    private static final List<String> SHARED =
            List.of("objects", "refs", "packed-refs", "logs", "shallow", "worktrees", "hooks");
    private static final List<String> SHARED_IF_PRESENT =
            List.of("lfs", "rr-cache", "svn", "branches", "remotes", "annex", "lost-found");
    /// What is taken over from a repository that a session has made. Its HEAD comes last: it makes the repository.
    private static final List<String> IMPORTED = List.of(
            "objects", "refs", "reftable", "logs", "packed-refs", "shallow", "index", "ORIG_HEAD", "FETCH_HEAD",
            "HEAD");
    private static final int MAX_CONFIG = 1 << 20;
    /// Each takes several mounts; beyond these, submodules are read-only as a whole.
    private static final int MAX_PARTS = 32;
    private static final int MAX_DEPTH = 4;

    private final Protection protection;
    private final Path workspace;
    private final Sandbox.@Nullable User user;
    private final List<String> madeFolders = new ArrayList<>();
    /// With the content that they got.
    private final Map<String, String> madeFiles = new LinkedHashMap<>();
    private @Nullable OwnFolder own;

    GitProtection(Protection protection, Path workspace, Sandbox.@Nullable User user) {
        this.protection = protection;
        this.workspace = workspace;
        this.user = user;
    }

    void begin(Beneath files) {
        FileFacts facts = files.look(FOLDER);
        if (facts == null || files.look(STAND_IN) != null) {
            standIn(files);
            return;
        }
        protection.requireNoLink(files, FOLDER, facts);
        if (!facts.folder()) {
            // A worktree or a submodule: its repository is elsewhere.
            protection.protect(files, FOLDER, true);
            return;
        }
        GitConfig config = repository(files, FOLDER);
        runByGit(files, config);
        worktrees(files);
        submodules(files);
        privateSettings(files);
    }

    /// A folder for a repository that the session may make. Git outside does not take it for one: it has no HEAD.
    private void standIn(Beneath files) {
        if (unwritable(files.makeFolder(FOLDER, 0755)) || unwritable(files.makeFolder(STAND_IN, 0755))) {
            return;
        }
        files.give(STAND_IN, user);
        FileFacts facts = files.look(STAND_IN);
        if (facts == null || !facts.folder()) {
            throw Spawner.failed("reserve " + FOLDER + " in the workspace", Errno.ENOTDIR);
        }
        protection.mount(FOLDER, STAND_IN, true, facts);
    }

    /// Whether nobody can write here, and so neither can the session.
    private static boolean unwritable(int result) {
        if (result < 0 && result != -Errno.EEXIST && !Protection.UNWRITABLE.contains(-result)) {
            throw Spawner.failed("protect the Git repository of the workspace", -result);
        }
        return Protection.UNWRITABLE.contains(-result);
    }

    /// Makes read-only what Git reads its settings and hooks from.
    ///
    /// @param folder of the repository, relative to the workspace
    private GitConfig repository(Beneath files, String folder) {
        makeFile(files, folder + "/" + CONFIG, "");
        protection.protect(files, folder + "/" + CONFIG, false);
        protection.protect(files, folder + "/hooks", true);
        protection.protect(files, folder + "/" + INFO, true);
        GitConfig config = config(files, folder + "/" + CONFIG);
        if (!config.values("extensions", "worktreeconfig").isEmpty()) {
            makeFile(files, folder + "/config.worktree", "");
        }
        protection.protect(files, folder + "/config.worktree", false);
        makeFolder(files, folder + "/objects");
        makeFolder(files, folder + "/objects/info");
        makeFile(files, folder + "/" + ALTERNATES, "");
        protection.protect(files, folder + "/" + ALTERNATES, false);
        return config;
    }

    private void makeFolder(Beneath files, String path) {
        int made = files.makeFolder(path, 0755);
        if (!unwritable(made) && made == 0) {
            files.give(path, user);
            madeFolders.add(path);
        }
    }

    /// Makes a file if it is not there. It is removed in the end if it still has that content.
    ///
    /// @return whether it is there with that content
    private boolean makeFile(Beneath files, String path, String content) {
        int made = files.makeFile(path, content, 0644);
        if (!unwritable(made) && made == 0) {
            files.give(path, user);
        }
        boolean ours = content.equals(text(files, path));
        if (ours) {
            madeFiles.put(path, content);
        }
        return ours;
    }

    private static @Nullable String text(Beneath files, String path) {
        byte[] text = files.read(path, MAX_CONFIG);
        return text == null ? null : new String(text, StandardCharsets.UTF_8);
    }

    private static GitConfig config(Beneath files, String path) {
        String text = text(files, path);
        return GitConfig.parse(text == null ? "" : text);
    }

    /// Hooks and settings elsewhere in the workspace that the repository's own settings name.
    private void runByGit(Beneath files, GitConfig config) {
        config.values("core", "hookspath").forEach(path -> inWorkspace(files, workspace, path));
        config.values("include", "path").forEach(path -> inWorkspace(files, workspace.resolve(FOLDER), path));
        config.values("includeif", "path").forEach(path -> inWorkspace(files, workspace.resolve(FOLDER), path));
    }

    private void inWorkspace(Beneath files, Path base, String path) {
        if (path.startsWith("~") || path.indexOf('\0') >= 0) {
            return;
        }
        Path file = base.resolve(path).normalize();
        if (file.startsWith(workspace) && !file.equals(workspace)) {
            protection.protect(files, workspace.relativize(file).toString(), true);
        }
    }

    private void worktrees(Beneath files) {
        String folder = FOLDER + "/worktrees";
        List<String> names = files.list(folder);
        if (names.size() > MAX_PARTS) {
            protection.protect(files, folder, false);
            return;
        }
        for (String name : names) {
            for (String file : List.of(COMMONDIR, "gitdir", "config.worktree")) {
                protection.protect(files, folder + "/" + name + "/" + file, false);
            }
        }
    }

    private void submodules(Beneath files) {
        String folder = FOLDER + "/modules";
        List<String> found = new ArrayList<>();
        find(files, folder, 0, found);
        if (found.size() > MAX_PARTS) {
            protection.protect(files, folder, false);
            return;
        }
        for (String one : found) {
            repository(files, one);
            makeFile(files, one + "/" + COMMONDIR, SELF);
            protection.protect(files, one + "/" + COMMONDIR, false);
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

    /// Lets Git inside have settings of its own.
    private void privateSettings(Beneath files) {
        String commondir = FOLDER + "/" + COMMONDIR;
        if (!makeFile(files, commondir, SELF)) {
            // Somebody else's, or nobody can write here: then Git's settings stay as they are.
            protection.protect(files, commondir, true);
            return;
        }
        makeFolder(files, FOLDER + "/logs");
        makeFolder(files, FOLDER + "/worktrees");
        byte[] config = files.read(FOLDER + "/" + CONFIG, MAX_CONFIG);
        OwnFolder folder = new OwnFolder(user, path -> fill(files, path, config == null ? new byte[0] : config));
        own = folder;
        protection.mount(folder.mount("git", INSIDE, true));
        protection.mount(folder.mount(COMMONDIR, workspace.resolve(commondir), false));
    }

    private void fill(Beneath files, Path folder, byte[] config) throws IOException {
        Files.writeString(folder.resolve(COMMONDIR), INSIDE + "\n");
        Path settings = Files.createDirectory(folder.resolve("git"));
        Files.write(settings.resolve(CONFIG), config);
        // Git also writes lists for simple servers here, which nobody needs.
        Path info = Files.createDirectory(settings.resolve(INFO));
        for (String name : List.of("exclude", "attributes", "grafts")) {
            byte[] content = files.read(FOLDER + "/" + INFO + "/" + name, MAX_CONFIG);
            if (content != null) {
                Files.write(info.resolve(name), content);
            }
        }
        // Git wants one for the main worktree, which this is not.
        Files.writeString(settings.resolve("HEAD"), "ref: refs/heads/none\n");
        List<String> names = new ArrayList<>(SHARED);
        SHARED_IF_PRESENT.stream().filter(name -> files.look(FOLDER + "/" + name) != null).forEach(names::add);
        for (String name : names) {
            Files.createSymbolicLink(settings.resolve(name), workspace.resolve(FOLDER).resolve(name));
        }
    }

    // --- the end ---

    /// Takes over the settings that the session has added.
    void end(Beneath files) {
        OwnFolder folder = own;
        if (folder == null) {
            return;
        }
        try {
            byte[] after = folder.read("git/" + CONFIG, MAX_CONFIG);
            String path = FOLDER + "/" + CONFIG;
            String lock = path + ".lock";
            if (after != null && files.makeFile(lock, "", 0644) >= 0) {
                try {
                    String added = config(files, path)
                            .additions(GitConfig.parse(new String(after, StandardCharsets.UTF_8)));
                    int written = added.isEmpty() ? 0 : files.append(path, "\n" + added);
                    if (written < 0) {
                        told("take over Git's settings", written);
                    }
                } finally {
                    files.removeFile(lock);
                }
            }
        } finally {
            folder.close();
        }
    }

    /// After the last session of the workspace: removes what Git does not need, and takes over a repository that was
    /// made inside.
    void endLast(Beneath files) {
        madeFiles.forEach((path, content) -> {
            if (content.equals(text(files, path))) {
                files.removeFile(path);
            }
        });
        // Only those that are empty.
        madeFolders.reversed().forEach(files::removeFolder);
        if (files.look(STAND_IN) != null) {
            importNew(files);
        }
    }

    private void importNew(Beneath files) {
        GitConfig made = config(files, STAND_IN + "/" + CONFIG);
        FileFacts head = files.look(STAND_IN + "/HEAD");
        if (head != null && head.regular() && isFolder(files, "objects") && isFolder(files, "refs")) {
            files.removeFile(STAND_IN + "/" + ALTERNATES);
            files.removeFile(STAND_IN + "/objects/info/http-alternates");
            files.makeFile(FOLDER + "/" + CONFIG, settings(made), 0644);
            files.give(FOLDER + "/" + CONFIG, user);
            for (String name : IMPORTED) {
                FileFacts facts = files.look(STAND_IN + "/" + name);
                int moved = facts == null || facts.link()
                        ? 0
                        : files.rename(STAND_IN + "/" + name, FOLDER + "/" + name);
                if (moved < 0) {
                    told("take over " + name + " of a new Git repository", moved);
                }
            }
            files.give(FOLDER, user);
        }
        OwnFolder.empty(workspace.resolve(STAND_IN));
        files.removeFolder(STAND_IN);
        files.removeFolder(FOLDER);
    }

    private static boolean isFolder(Beneath files, String name) {
        FileFacts facts = files.look(STAND_IN + "/" + name);
        return facts != null && facts.folder();
    }

    /// The settings of a new repository: how it is stored, and what may be taken over.
    private static String settings(GitConfig made) {
        StringBuilder text = new StringBuilder();
        Map.of("objectformat", List.of("sha1", "sha256"), "refstorage", List.of("files", "reftable"))
                .forEach((name, known) -> made.values("extensions", name).stream()
                        .map(value -> value.toLowerCase(Locale.ROOT))
                        .filter(known::contains)
                        .limit(1)
                        .forEach(value -> text.append("\t").append(name).append(" = ").append(value).append("\n")));
        String core = "[core]\n\trepositoryformatversion = " + (text.isEmpty() ? 0 : 1)
                + "\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n";
        return core + (text.isEmpty() ? "" : "[extensions]\n" + text) + new GitConfig(List.of()).additions(made);
    }

    private static void told(String what, int result) {
        Log.LOG.log(System.Logger.Level.WARNING, "could not " + what + ": " + Errno.text(-result));
    }
}
