package dev.belay.linux;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Finds the files of a workspace that people or their tools run later and that a session has changed: build scripts,
/// pipelines, and Git repositories that it made. It lists them; nothing keeps a session from changing them.
///
/// Looks at the workspace's own folder and at the names that Git tracked when the session began. Names, sizes, inodes
/// and times of change are compared; a program cannot set the last.
final class Changes {
    private static final Set<String> FILES = Set.of(
            "package.json", "Makefile", "makefile", "GNUmakefile", "CMakeLists.txt", "meson.build", "SConstruct",
            "configure", "pom.xml", "mvnw", "build.gradle", "build.gradle.kts", "settings.gradle",
            "settings.gradle.kts", "gradlew", "build.xml", "build.sbt", "Rakefile", "Gemfile", "setup.py", "setup.cfg",
            "pyproject.toml", "conftest.py", "noxfile.py", "tox.ini", "Cargo.toml", "build.rs", "Dockerfile",
            "docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml", "Jenkinsfile", "Vagrantfile",
            "Procfile", "justfile", "Justfile", "Taskfile.yml", "lefthook.yml", ".pre-commit-config.yaml",
            ".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", ".gitattributes", ".gitmodules", ".envrc",
            ".npmrc", ".pnpmfile.cjs", ".yarnrc.yml", "lerna.json", "deno.json", "bunfig.toml", ".bazelrc", "WORKSPACE",
            "BUILD", "flake.nix", "shell.nix", "default.nix", ".tool-versions", "mise.toml");
    private static final Set<String> FOLDERS =
            Set.of(".github", ".gitlab", ".circleci", ".buildkite", ".devcontainer", ".githooks", ".config", ".yarn");
    private static final String SCRIPT = ".sh";
    /// Steps that Git goes on with when somebody says so.
    private static final List<String> BEGUN =
            List.of(".git/rebase-merge/git-rebase-todo", ".git/rebase-apply/next", ".git/sequencer/todo");
    /// What makes Git run programs in a repository that is not protected.
    private static final List<String> OF_GIT =
            List.of("", "/config", "/config.worktree", "/commondir", "/hooks", "/info", "/info/attributes");
    private static final Set<String> PASSED_OVER = Set.of(".git", "node_modules");

    private static final int MAX_TRACKED = 2000;
    private static final int MAX_BELOW = 500;
    private static final int MAX_FOLDERS = 20_000;
    private static final int MAX_TOLD = 100;
    /// The kernel's clock for files is this coarse at worst.
    static final Duration TICK = Duration.ofMillis(10);

    private final Instant since;
    private final Map<String, FileFacts> before;
    private final List<String> tracked;

    private Changes(Instant since, Map<String, FileFacts> before, List<String> tracked) {
        this.since = since;
        this.before = before;
        this.tracked = tracked;
    }

    /// Looks at a workspace before the session starts.
    static Changes since(Beneath files) {
        Instant now = Instant.now().minus(TICK);
        List<String> tracked = tracked(files);
        return new Changes(now, look(files, tracked), tracked);
    }

    private static List<String> tracked(Beneath files) {
        return GitIndex.of(files, ".git/index", ".git/config", MAX_TRACKED, (_, name) -> FILES.contains(name));
    }

    private static Map<String, FileFacts> look(Beneath files, List<String> tracked) {
        Map<String, FileFacts> found = new TreeMap<>();
        for (Beneath.Entry entry : files.entries(".")) {
            if (FOLDERS.contains(entry.name())) {
                below(files, entry.name(), found);
            } else if (FILES.contains(entry.name()) || entry.name().endsWith(SCRIPT)) {
                add(files, entry.name(), found);
            }
        }
        tracked.forEach(name -> add(files, name, found));
        return found;
    }

    private static void below(Beneath files, String folder, Map<String, FileFacts> found) {
        Deque<String> folders = new ArrayDeque<>(List.of(folder));
        while (!folders.isEmpty() && found.size() < MAX_BELOW) {
            String one = folders.remove();
            for (Beneath.Entry entry : files.entries(one)) {
                if (entry.folder()) {
                    folders.add(one + "/" + entry.name());
                } else {
                    add(files, one + "/" + entry.name(), found);
                }
            }
        }
    }

    private static void add(Beneath files, String name, Map<String, FileFacts> found) {
        FileFacts facts = files.look(name);
        if (facts != null && !facts.folder()) {
            found.put(name, facts);
        }
    }

    /// Looks again after the session has ended.
    ///
    /// @return the names of what was made or changed, sorted; at most a hundred, and a last entry that says so
    List<String> until(Beneath files) {
        Set<String> changed = new TreeSet<>();
        look(files, tracked).forEach((name, facts) -> {
            if (differs(before.get(name), facts)) {
                changed.add(name);
            }
        });
        BEGUN.stream().filter(name -> changedSince(files, name)).forEach(changed::add);
        boolean all = repositories(files, changed);
        List<String> told = new ArrayList<>(changed.stream().limit(MAX_TOLD).toList());
        if (told.size() < changed.size()) {
            told.add("and " + (changed.size() - told.size()) + " more");
        }
        if (!all) {
            told.add("perhaps more: the workspace has too many folders to look at");
        }
        return told;
    }

    private static boolean differs(@Nullable FileFacts before, FileFacts now) {
        return before == null || !before.sameFile(now) || before.size() != now.size()
                || !before.changed().equals(now.changed());
    }

    private boolean changedSince(Beneath files, String name) {
        FileFacts facts = files.look(name);
        return facts != null && facts.changed().isAfter(since);
    }

    /// Adds repositories that were made, and others whose settings were changed.
    ///
    /// @return whether all folders could be looked at
    private boolean repositories(Beneath files, Set<String> changed) {
        Deque<String> folders = new ArrayDeque<>(List.of("."));
        for (int looked = 0; !folders.isEmpty(); looked++) {
            if (looked == MAX_FOLDERS) {
                return false;
            }
            String folder = folders.remove();
            String prefix = folder.equals(".") ? "" : folder + "/";
            List<Beneath.Entry> entries = files.entries(folder);
            Set<String> names = new TreeSet<>();
            for (Beneath.Entry entry : entries) {
                names.add(entry.name());
                if (entry.folder() && !PASSED_OVER.contains(entry.name())) {
                    folders.add(prefix + entry.name());
                }
            }
            if (!prefix.isEmpty() && names.contains(".git")
                    && OF_GIT.stream().anyMatch(part -> changedSince(files, prefix + ".git" + part))) {
                changed.add(prefix + ".git");
            }
            if (names.containsAll(Set.of("HEAD", "objects", "refs", "config"))
                    && OF_GIT.stream().anyMatch(part -> changedSince(files, folder + part))) {
                changed.add(folder);
            }
        }
        return true;
    }
}
