package dev.belay.linux;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A Git repository that a session may make where there is none. A private folder stands in for `.git`, and Git
/// outside
/// does not take it for a repository. After the last session, commits, branches and the index move to their place,
/// with
/// settings that Belay writes.
///
/// @param repository the folder `.git`, which holds nothing but the private folder
record NewRepository(GuardedFolder repository) {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final String STAND_IN = "belay-new";
    private static final String WHOLE = GitProtection.FOLDER + "/" + STAND_IN;
    /// What is taken over. HEAD comes last: it makes the repository.
    private static final List<String> TAKEN = List.of(
            "objects", "refs", "reftable", "logs", "packed-refs", "shallow", "index", "ORIG_HEAD", "FETCH_HEAD",
            "HEAD");

    /// Whether another session has begun, or was killed: then there is nothing else in `.git`.
    static boolean begun(Beneath workspace) {
        return workspace.list(GitProtection.FOLDER).equals(List.of(STAND_IN));
    }

    /// Makes the folders.
    ///
    /// @return false if nobody can write to the workspace
    static boolean begin(GuardedFolder workspace, Beneath files) {
        return workspace.makeFolder(files, GitProtection.FOLDER) && workspace.makeFolder(files, WHOLE);
    }

    void mount(Beneath files) {
        FileFacts facts = files.look(STAND_IN);
        if (facts == null || !facts.folder()) {
            throw Spawner.failed("reserve .git in the workspace", Errno.ENOTDIR);
        }
        repository.mount(Mount.of(repository.path(), repository.path().resolve(STAND_IN), true, facts));
    }

    /// @param files     of the repository
    /// @param workspace files of the workspace
    void takeOver(Beneath files, Beneath workspace) {
        if (!files.list(".").equals(List.of(STAND_IN))) {
            Log.LOG.log(
                    System.Logger.Level.WARNING, "a repository was made in " + repository.path().getParent()
                            + " meanwhile; the one made inside of a sandbox is left in " + WHOLE);
            return;
        }
        GitConfig made = GitProtection.config(files, STAND_IN + "/" + GitProtection.CONFIG);
        FileFacts head = files.look(STAND_IN + "/HEAD");
        if (head != null && head.regular() && isFolder(files, "objects") && isFolder(files, "refs")) {
            // It may be a link, which no name below it goes through.
            files.removeFile(STAND_IN + "/objects/info");
            files.removeFile(STAND_IN + "/objects/info/alternates");
            files.removeFile(STAND_IN + "/objects/info/http-alternates");
            if (files.makeFile(GitProtection.CONFIG, settings(made), 0644) >= 0) {
                files.give(GitProtection.CONFIG, repository.user());
            }
            for (String name : TAKEN) {
                FileFacts facts = files.look(STAND_IN + "/" + name);
                boolean plain = facts != null && (facts.regular() || facts.folder());
                int moved = plain ? files.rename(STAND_IN + "/" + name, name) : 0;
                if (moved < 0) {
                    GitProtection.told("take over " + name + " of a new Git repository", moved);
                }
            }
        }
        files.empty(STAND_IN, Instant.now().plus(PATIENCE));
        files.removeFolder(STAND_IN);
        // Only if it is empty.
        workspace.removeFolder(GitProtection.FOLDER);
    }

    private static boolean isFolder(Beneath files, String name) {
        FileFacts facts = files.look(STAND_IN + "/" + name);
        return facts != null && facts.folder();
    }

    /// How it is stored, and what may be taken over.
    private static String settings(GitConfig made) {
        StringBuilder storage = new StringBuilder();
        Map.of("objectformat", List.of("sha1", "sha256"), "refstorage", List.of("files", "reftable"))
                .forEach((name, known) -> made.values("extensions", name).stream()
                        .map(value -> value.toLowerCase(Locale.ROOT))
                        .filter(known::contains)
                        .limit(1)
                        .forEach(value -> storage.append("\t" + name + " = " + value + "\n")));
        String core = "[core]\n\trepositoryformatversion = " + (storage.isEmpty() ? 0 : 1)
                + "\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n";
        return core + (storage.isEmpty() ? "" : "[extensions]\n" + storage)
                + new GitConfig(List.of()).additions(made, false);
    }
}
