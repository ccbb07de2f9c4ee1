package dev.belay.linux;

import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A folder in which a sandboxed session may write, except for some paths.
///
/// What exists of these becomes a read-only mount, and so cannot be renamed or replaced; the folders above it become
/// mounts too. A name that is free is reserved: an empty folder on the disk carries an empty mount. The last sandbox
/// of
/// the folder removes what was made for this. A lock on the folder counts the sandboxes, whichever Belay they belong
/// to.
final class GuardedFolder implements AutoCloseable {
    /// Errors that say that nothing can be made in a place. Then the session cannot either.
    private static final Set<Integer> UNWRITABLE = Set.of(Errno.EACCES, Errno.EPERM, Errno.EROFS);
    /// The time of change by which reserved folders are recognised after a crash. It is gone once somebody uses one.
    private static final Instant RESERVED = Instant.ofEpochSecond(86_400);
    private static final int FOLDER_MODE = 0755;
    private static final int FILE_MODE = 0644;
    private static final int MAX_TEXT = 1 << 20;
    /// A sandbox that ends holds the lock for a moment.
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final long POLL_NANOS = 1_000_000;

    private final Path path;
    private final Sandbox.@Nullable User user;
    private final Predicate<Path> writable;
    private final Predicate<Path> opened;
    private final int fd;
    private final Map<Path, Mount> mounts = new TreeMap<>();
    private final List<String> reserved = new ArrayList<>();
    private final List<String> madeFolders = new ArrayList<>();
    /// With the content that they got.
    private final Map<String, String> madeFiles = new LinkedHashMap<>();

    /// @param path     without links
    /// @param user     who owns what is made for the session; null: Belay's own user
    /// @param writable whether the session can write in a place, apart from what is guarded
    /// @param opened   whether the settings let the session write a path although it is guarded
    /// @param fd       a descriptor of the folder, which this closes
    GuardedFolder(Path path, Sandbox.@Nullable User user, Predicate<Path> writable, Predicate<Path> opened, int fd) {
        this.path = path;
        this.user = user;
        this.writable = writable;
        this.opened = opened;
        this.fd = fd;
    }

    Path path() {
        return path;
    }

    Sandbox.@Nullable User user() {
        return user;
    }

    /// Its mounts, parents first.
    Collection<Mount> mounts() {
        return mounts.values();
    }

    Beneath files(Libc libc, Arena arena) {
        return new Beneath(libc, arena, fd);
    }

    /// Counts this sandbox as one of the folder.
    void share(Libc libc) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        int result = libc.flock(fd, Abi.LOCK_SH | Abi.LOCK_NB);
        while (result == -Errno.EAGAIN && System.nanoTime() < until) {
            LockSupport.parkNanos(POLL_NANOS);
            result = libc.flock(fd, Abi.LOCK_SH | Abi.LOCK_NB);
        }
        if (result < 0) {
            throw Sandbox.refusal("the folder " + path + " cannot be locked: " + Errno.text(-result)
                    + ". A sandbox needs the lock to protect files in it; set protected to [] to do without.");
        }
    }

    /// Whether no other sandbox of the folder is left. If so, none can begin before [#close].
    boolean last(Libc libc) {
        return libc.flock(fd, Abi.LOCK_EX | Abi.LOCK_NB) >= 0;
    }

    // --- mounts ---

    /// Makes a path read-only.
    ///
    /// @param reserve whether to keep the session from making it if it is not there
    void protect(Beneath files, String file, boolean reserve) {
        StringBuilder prefix = new StringBuilder();
        for (Iterator<Path> names = Path.of(file).normalize().iterator(); names.hasNext();) {
            prefix.append(prefix.isEmpty() ? "" : "/").append(names.next());
            String now = prefix.toString();
            Mount there = mounts.get(path.resolve(now));
            if (opened.test(path.resolve(now)) || (there != null && !there.writable() && names.hasNext())) {
                // All below it is read-only, too.
                return;
            }
            FileFacts facts = files.look(now);
            if (facts == null || isReserved(files, now, facts)) {
                if (reserve) {
                    reserve(files, now);
                }
                return;
            }
            requireNoLink(files, now, facts);
            if (!names.hasNext() || !facts.folder()) {
                mount(now, now, false, facts);
                return;
            }
            // A mount cannot be renamed, but the folder above it could be, and another put in its place.
            mount(now, now, writable.test(path.resolve(now)), facts);
        }
    }

    void requireNoLink(Beneath files, String file, FileFacts facts) {
        if (facts.link()) {
            throw TrustedPath.linkRefused(path.resolve(file), files.target(file));
        }
    }

    /// Mounts a file of the folder in the place of another, or of itself.
    void mount(String at, String source, boolean write, FileFacts expect) {
        mount(Mount.of(path.resolve(at), path.resolve(source), write, expect));
    }

    /// Of two mounts in one place the read-only one counts, else the first.
    void mount(Mount mount) {
        mounts.merge(mount.at(), mount, (before, after) -> after.writable() ? before : after);
    }

    // --- what is made for the session ---

    private void reserve(Beneath files, String file) {
        int made = files.makeFolder(file, FOLDER_MODE);
        if (unwritable(made, file)) {
            return;
        }
        if (made == 0) {
            files.modified(file, RESERVED);
        }
        reserved.add(file);
        mount(Mount.empty(path.resolve(file)));
    }

    private static boolean isReserved(Beneath files, String file, FileFacts facts) {
        return facts.folder() && facts.modified().equals(RESERVED) && files.list(file).isEmpty();
    }

    private boolean unwritable(int result, String file) {
        if (result < 0 && result != -Errno.EEXIST && !UNWRITABLE.contains(-result)) {
            throw Spawner.failed("protect " + path.resolve(file), -result);
        }
        return UNWRITABLE.contains(-result);
    }

    /// Makes a folder if it is not there. It is removed in the end if it is empty.
    ///
    /// @return whether it is there now
    boolean makeFolder(Beneath files, String file) {
        int made = files.makeFolder(file, FOLDER_MODE);
        if (unwritable(made, file)) {
            return false;
        }
        if (made == 0) {
            files.give(file, user);
            madeFolders.add(file);
        }
        return true;
    }

    /// Makes a file if it is not there. It is removed in the end if it still has that content.
    ///
    /// @return whether it is there with that content
    boolean makeFile(Beneath files, String file, String content) {
        int made = files.makeFile(file, content, FILE_MODE);
        if (!unwritable(made, file) && made == 0) {
            files.give(file, user);
        }
        boolean ours = content.equals(text(files, file));
        if (ours) {
            madeFiles.put(file, content);
        }
        return ours;
    }

    static @Nullable String text(Beneath files, String file) {
        byte[] text = files.read(file, MAX_TEXT);
        return text == null ? null : new String(text, StandardCharsets.UTF_8);
    }

    /// Read-only paths that are not what they were. Somebody outside has replaced them, and thereby opened them to the
    /// session.
    List<String> replaced(Beneath files) {
        return mounts.values().stream()
                .filter(mount -> !mount.writable() && mount.at().equals(mount.source()) && mount.expect() != null)
                .map(mount -> path.relativize(mount.at()).toString())
                .filter(file -> {
                    FileFacts now = files.look(file);
                    FileFacts before = Objects.requireNonNull(mounts.get(path.resolve(file))).expect();
                    return before != null && (now == null || !now.sameFile(before) || now.size() != before.size()
                            || !now.changed().equals(before.changed()));
                })
                .toList();
    }

    /// Removes what was made. Only for the last sandbox.
    void undo(Beneath files) {
        madeFiles.forEach((file, content) -> {
            if (content.equals(text(files, file))) {
                files.removeFile(file);
            }
        });
        // Only those that are empty.
        madeFolders.reversed().forEach(files::removeFolder);
        for (String file : reserved.reversed()) {
            FileFacts facts = files.look(file);
            if (facts != null && isReserved(files, file, facts)) {
                files.removeFolder(file);
            }
        }
    }

    /// Lets go of the folder and its lock.
    @Override
    public void close() {
        try (Arena arena = Arena.ofConfined()) {
            new Libc(arena).close(fd);
        }
    }
}
