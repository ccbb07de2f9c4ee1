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

/// Belay's own part of the control groups (version 2): a group per host, made when the first session needs one, and in it
/// a group per session that asks for limits of all its processes together (see docs/adr/0007).
///
/// A host's group is held by a lock. One whose lock is free was left by a Belay that was killed: it is killed and removed
/// by the next.
final class Groups implements AutoCloseable {
    /// What may be asked for.
    static final Set<String> CONTROLLERS = Set.of("cpu", "memory", "pids");

    /// The names that Belay gives, and no other: what else begins like this is somebody's, perhaps Belay's own service.
    private static final Pattern NAME =
            Pattern.compile("belay-\\d+-\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");
    /// The names given in this JVM. Not to be touched by a sweep: to close another descriptor of a lock's file would free
    /// the lock. By name, not by pid: in a container the next Belay has the pid of the one that was killed.
    private static final Set<String> GIVEN = ConcurrentHashMap.newKeySet();
    /// A file of every group, to lock, that nobody else opens.
    private static final String LOCK = "cgroup.freeze";

    private final @Nullable Path place;
    private @Nullable Path own;
    private @Nullable FileChannel lock;
    private final AtomicLong made = new AtomicLong();

    /// @param place the folder within which groups may be made; null if there is none
    Groups(@Nullable Path place) {
        this.place = place;
    }

    static Groups ofThisProcess() {
        return new Groups(place(ControlGroups.look().folder()));
    }

    /// Where groups may be made: within the group of this process, or beside it where that whole part of the hierarchy was
    /// delegated and Belay was put into a group of its own in it. The second, if only there controllers can be had: a
    /// group that has processes itself cannot pass them on.
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

    /// Service managers mark what they delegate. Others are given it as their own: only root may write elsewhere. A slice
    /// is never delegated, though those of a user are the user's own: its groups are the service manager's to make.
    private static boolean delegated(Path group) {
        if (group.getFileName().toString().endsWith(".slice")) {
            return false;
        }
        try {
            UserDefinedFileAttributeView view =
                    Files.getFileAttributeView(group, UserDefinedFileAttributeView.class);
            return (view != null && view.list().contains("delegate"))
                    || !Files.getOwner(group).equals(Files.getOwner(Path.of("/")));
        } catch (IOException _) {
            return false;
        }
    }

    /// The controllers that groups within a group can have, of those that we have a use for.
    static Set<String> controllers(Path group) {
        boolean root = !Files.exists(group.resolve("cgroup.type"));
        boolean occupied = !root && !words(group, "cgroup.procs").isEmpty();
        Set<String> found = words(group, occupied ? "cgroup.subtree_control" : "cgroup.controllers");
        found.retainAll(CONTROLLERS);
        return found;
    }

    private static Set<String> words(Path group, String file) {
        String text = Machine.text(group.resolve(file).toString()).strip();
        return text.isEmpty() ? new TreeSet<>() : new TreeSet<>(List.of(text.split("\\s+", -1)));
    }

    /// A folder within which groups can be made that bound this much.
    static Path requirePlace(@Nullable Path place, Together together) {
        if (place == null) {
            throw refusal("Belay may make no control groups (cgroup v2) here");
        }
        Set<String> needed = new TreeSet<>();
        Group.bounds(together).keySet().forEach(file -> needed.add(file.substring(0, file.indexOf('.'))));
        needed.removeAll(controllers(place));
        if (!needed.isEmpty()) {
            throw refusal("the control groups that Belay may make in " + place + " lack the controllers " + needed);
        }
        return place;
    }

    /// A new group that is bounded so, for a process that has not started yet.
    Group make(Together together) {
        Path within = requirePlace(place, together);
        try {
            Group group = new Group(Files.createDirectory(own(within).resolve("s" + made.incrementAndGet())));
            try {
                group.bound(together);
            } catch (RuntimeException e) {
                group.remove();
                throw e;
            }
            return group;
        } catch (IOException e) {
            throw refusal("no control group can be made in " + within + ": " + e.getMessage());
        }
    }

    static SessionException refusal(String why) {
        return new SessionException(
                ErrorCode.UNAVAILABLE,
                "The session cannot be limited as a whole: " + why
                        + "; delegate some to Belay (see docs/operations.md), or limit each process.");
    }

    /// The host's group. The first to ask makes it, the others wait their turn.
    private synchronized Path own(Path within) throws IOException {
        Path group = own;
        if (group != null) {
            return group;
        }
        sweep(within, ControlGroups.look().folder());
        String name = "belay-" + ProcessHandle.current().pid() + "-" + UUID.randomUUID();
        // Before it is there: another host of this JVM may be sweeping.
        GIVEN.add(name);
        group = within.resolve(name);
        boolean done = false;
        try {
            Files.createDirectory(group);
            lock = locked(group);
            if (lock == null) {
                throw new IOException("another Belay is sweeping; try again");
            }
            for (String controller : controllers(within)) {
                Group.write(within.resolve("cgroup.subtree_control"), "+" + controller);
                Group.write(group.resolve("cgroup.subtree_control"), "+" + controller);
            }
            own = group;
            done = true;
            return group;
        } finally {
            if (!done) {
                unlock();
                Group.remove(group);
                GIVEN.remove(name);
            }
        }
    }

    /// Removes what killed Belays left, and the processes in it.
    ///
    /// @param here the group of this process, which is spared whatever it is called, as are those around it
    static void sweep(Path within, @Nullable Path here) throws IOException {
        try (DirectoryStream<Path> groups = Files.newDirectoryStream(within, Groups::mayBeLeft)) {
            for (Path group : groups) {
                if (here == null || !here.startsWith(group)) {
                    sweepIfFree(group);
                }
            }
        }
    }

    private static boolean mayBeLeft(Path group) {
        String name = group.getFileName().toString();
        return NAME.matcher(name).matches() && !GIVEN.contains(name);
    }

    private static void sweepIfFree(Path group) throws IOException {
        try (FileChannel free = locked(group)) {
            if (free != null) {
                Group.remove(group);
            }
        } catch (NoSuchFileException _) {
            // Its owner has removed it just now.
        }
    }

    /// The lock of a host's group; null if somebody has it.
    private static @Nullable FileChannel locked(Path group) throws IOException {
        FileChannel channel =
                FileChannel.open(group.resolve(LOCK), StandardOpenOption.READ, StandardOpenOption.WRITE);
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

    /// Removes the host's group, whose sessions have ended.
    @Override
    public synchronized void close() {
        Path group = own;
        own = null;
        if (group == null) {
            return;
        }
        Group.remove(group);
        try {
            unlock();
        } catch (IOException e) {
            throw new SessionException(ErrorCode.INTERNAL, "A control group could not be let go: " + e.getMessage());
        }
        GIVEN.remove(group.getFileName().toString());
    }
}
