package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.Resources.Together;
import dev.belay.SessionException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The host's control group (cgroup v2). It is made when the first session needs one, and holds a [SessionCgroup] for
/// each session that asks for limits on all its processes together (see docs/adr/0007).
///
/// The host holds a lock on its cgroup. A cgroup whose lock is free was left by a Belay that was killed; the next one
/// kills and removes it.
final class HostCgroup implements AutoCloseable {
    static final Set<String> CONTROLLERS = Set.of("cpu", "memory", "pids");

    /// Exactly the names that Belay gives. Others that begin like this belong to somebody else, perhaps to Belay's
    /// service.
    private static final Pattern NAME =
            Pattern.compile("belay-\\d+-\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");
    /// Names given in this JVM, which a sweep must not touch: closing any other descriptor of a lock file frees the
    /// lock. By name, not by pid: in a container, the next Belay has the pid of the one that was killed.
    private static final Set<String> GIVEN = ConcurrentHashMap.newKeySet();
    /// The file to lock. Every cgroup has it, and nobody else opens it.
    private static final String LOCK = "cgroup.freeze";

    private final @Nullable Path place;
    private @Nullable Path own;
    private @Nullable FileChannel lock;
    private final AtomicLong made = new AtomicLong();

    /// @param place the folder in which cgroups may be made; null if there is none
    HostCgroup(@Nullable Path place) {
        this.place = place;
    }

    static HostCgroup ofThisProcess() {
        return new HostCgroup(place(CgroupSupport.look().folder()));
    }

    /// Where cgroups may be made: below the cgroup of this process, or beside it if the parent was delegated and Belay
    /// was put into a subgroup. Beside it only if that is where controllers are available: a cgroup that holds
    /// processes cannot pass controllers on.
    static @Nullable Path place(@Nullable Path folder) {
        if (folder == null) {
            return null;
        }
        Path beside = folder.getParent();
        boolean better = controllers(folder).isEmpty()
                && beside != null
                && Files.isWritable(beside)
                && delegated(beside)
                && !controllers(beside).isEmpty();
        Path best = better ? beside : folder;
        return Files.isWritable(best) ? best : null;
    }

    /// Service managers mark the cgroups that they delegate; others change the owner, since only root may write
    /// elsewhere. A slice is never delegated, not even a user's own: only the service manager makes cgroups in it.
    private static boolean delegated(Path cgroup) {
        if (cgroup.getFileName().toString().endsWith(".slice")) {
            return false;
        }
        try {
            UserDefinedFileAttributeView view =
                    Files.getFileAttributeView(cgroup, UserDefinedFileAttributeView.class);
            return (view != null && view.list().contains("delegate"))
                    || !Files.getOwner(cgroup).equals(Files.getOwner(Path.of("/")));
        } catch (IOException _) {
            return false;
        }
    }

    /// The controllers that cgroups below this one can have, of those that Belay uses.
    static Set<String> controllers(Path cgroup) {
        boolean root = !Files.exists(cgroup.resolve("cgroup.type"));
        boolean occupied = !root && !words(cgroup, "cgroup.procs").isEmpty();
        Set<String> found = words(cgroup, occupied ? "cgroup.subtree_control" : "cgroup.controllers");
        found.retainAll(CONTROLLERS);
        return found;
    }

    private static Set<String> words(Path cgroup, String file) {
        String text = Machine.text(cgroup.resolve(file).toString()).strip();
        return text.isEmpty() ? new TreeSet<>() : new TreeSet<>(List.of(text.split("\\s+", -1)));
    }

    /// Returns the place, or throws if cgroups made there cannot have these limits.
    static Path requirePlace(@Nullable Path place, Together together) {
        if (place == null) {
            throw refusal("Belay may not create cgroups (v2) here");
        }
        Set<String> needed = new TreeSet<>();
        SessionCgroup.bounds(together).keySet().forEach(file -> needed.add(file.substring(0, file.indexOf('.'))));
        needed.removeAll(controllers(place));
        if (!needed.isEmpty()) {
            throw refusal("cgroups in " + place + " lack the controllers " + needed);
        }
        return place;
    }

    /// Makes a cgroup with these limits for a session whose program has not started yet.
    SessionCgroup make(Together together) {
        Path within = requirePlace(place, together);
        try {
            Path folder = own(within).resolve("s" + made.incrementAndGet());
            SessionCgroup cgroup = new SessionCgroup(Files.createDirectory(folder));
            try {
                cgroup.bound(together);
            } catch (RuntimeException e) {
                cgroup.remove();
                throw e;
            }
            return cgroup;
        } catch (IOException e) {
            throw refusal("cannot create a cgroup in " + within + ": " + e.getMessage());
        }
    }

    static SessionException refusal(String why) {
        return new SessionException(
                ErrorCode.UNAVAILABLE,
                "Cannot limit the session as a whole: " + why
                        + "; delegate cgroups to Belay (see docs/operations.md), or limit each process.");
    }

    /// The host's cgroup. The first caller makes it; the others wait.
    private synchronized Path own(Path within) throws IOException {
        Path cgroup = own;
        if (cgroup != null) {
            return cgroup;
        }
        sweep(within, CgroupSupport.look().folder());
        String name = "belay-" + ProcessHandle.current().pid() + "-" + UUID.randomUUID();
        // Before the cgroup exists: another host of this JVM may be sweeping.
        GIVEN.add(name);
        cgroup = within.resolve(name);
        boolean done = false;
        try {
            Files.createDirectory(cgroup);
            lock = locked(cgroup);
            if (lock == null) {
                throw new IOException("another Belay is sweeping; try again");
            }
            for (String controller : controllers(within)) {
                SessionCgroup.write(within.resolve("cgroup.subtree_control"), "+" + controller);
                SessionCgroup.write(cgroup.resolve("cgroup.subtree_control"), "+" + controller);
            }
            own = cgroup;
            done = true;
            return cgroup;
        } finally {
            if (!done) {
                unlock();
                SessionCgroup.remove(cgroup);
                GIVEN.remove(name);
            }
        }
    }

    /// Removes what killed Belays left behind, with the processes in it.
    ///
    /// @param here the cgroup of this process. It and those around it are never removed, whatever their names.
    static void sweep(Path within, @Nullable Path here) throws IOException {
        try (DirectoryStream<Path> cgroups = Files.newDirectoryStream(within, HostCgroup::mayBeLeft)) {
            for (Path cgroup : cgroups) {
                if (here == null || !here.startsWith(cgroup)) {
                    sweepIfFree(cgroup);
                }
            }
        }
    }

    private static boolean mayBeLeft(Path cgroup) {
        String name = cgroup.getFileName().toString();
        return NAME.matcher(name).matches() && !GIVEN.contains(name);
    }

    private static void sweepIfFree(Path cgroup) throws IOException {
        try (FileChannel free = locked(cgroup)) {
            if (free != null) {
                SessionCgroup.remove(cgroup);
            }
        } catch (NoSuchFileException _) {
            // Its owner has just removed it.
        }
    }

    /// Locks a host's cgroup; null if it is already locked.
    private static @Nullable FileChannel locked(Path cgroup) throws IOException {
        FileChannel channel =
                FileChannel.open(cgroup.resolve(LOCK), StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean held = false;
        try {
            held = channel.tryLock() != null;
        } finally {
            if (!held) {
                channel.close();
            }
        }
        return held ? channel : null;
    }

    private void unlock() throws IOException {
        FileChannel held = lock;
        lock = null;
        if (held != null) {
            held.close();
        }
    }

    /// Removes the host's cgroup. All its sessions have ended.
    @Override
    public synchronized void close() {
        Path cgroup = own;
        own = null;
        if (cgroup == null) {
            return;
        }
        SessionCgroup.remove(cgroup);
        try {
            unlock();
        } catch (IOException e) {
            throw new SessionException(ErrorCode.INTERNAL, "Cannot unlock the host's cgroup: " + e.getMessage());
        }
        GIVEN.remove(cgroup.getFileName().toString());
    }
}
