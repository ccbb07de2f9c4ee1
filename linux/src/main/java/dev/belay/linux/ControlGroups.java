package dev.belay.linux;

import dev.belay.Resources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The control groups of this machine as this process sees them.
///
/// @param mount       where they are mounted: the unified hierarchy if there is one; null without any
/// @param own         the group of this process in it; null if it is not known
/// @param folder      the folder of that group; null if it cannot be seen from here
/// @param controllers what may be limited: on version 2 those that this group has, else those that are mounted
public record ControlGroups(
        Version version,
        @Nullable String mount,
        @Nullable String own,
        @Nullable Path folder,
        List<String> controllers) {
    /// Which hierarchies there are.
    public enum Version {
        NONE,
        V1,
        V2,
        HYBRID;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// Reads `/proc`; without it there are none.
    static ControlGroups look() {
        ControlGroups seen = parse(Machine.text("/proc/self/mountinfo"), Machine.text("/proc/self/cgroup"));
        if (seen.version != Version.V2 || seen.folder == null) {
            return seen;
        }
        String available = Machine.text(seen.folder.resolve("cgroup.controllers").toString()).strip();
        List<String> controllers = available.isEmpty() ? List.of() : List.of(available.split(" +", -1));
        return new ControlGroups(seen.version, seen.mount, seen.own, seen.folder, controllers);
    }

    static ControlGroups parse(String mountinfo, String membership) {
        Mounts mounts = Mounts.parse(mountinfo);
        List<Mounts.Mount> unified = mounts.ofType("cgroup2");
        TreeSet<String> controllers = new TreeSet<>();
        List<Mounts.Mount> old = new ArrayList<>(mounts.ofType("cgroup"));
        for (Mounts.Mount mount : old) {
            mount.options().stream().filter(ControlGroups::isController).forEach(controllers::add);
        }
        if (unified.isEmpty() && old.isEmpty()) {
            return new ControlGroups(Version.NONE, null, null, null, List.of());
        }
        if (unified.isEmpty()) {
            return new ControlGroups(Version.V1, old.getFirst().point(), null, null, List.copyOf(controllers));
        }
        Mounts.Mount mount = unified.getLast();
        String own = ownIn(membership);
        return new ControlGroups(
                controllers.isEmpty() ? Version.V2 : Version.HYBRID,
                mount.point(),
                own,
                own == null ? null : folder(mount, own),
                List.copyOf(controllers));
    }

    private static boolean isController(String option) {
        return switch (option) {
            case "rw", "ro", "xattr", "none", "noprefix", "clone_children", "nsdelegate" -> false;
            default -> option.indexOf('=') < 0;
        };
    }

    /// The line of the unified hierarchy: `0::/path`.
    private static @Nullable String ownIn(String membership) {
        for (String line : membership.split("\n", -1)) {
            if (line.startsWith("0::/")) {
                return line.substring(3);
            }
        }
        return null;
    }

    /// A group outside of what is mounted (its path begins with `/..`) cannot be seen.
    private static @Nullable Path folder(Mounts.Mount mount, String own) {
        Path root = Path.of(mount.root());
        Path path = Path.of(own);
        return path.startsWith(root) && !own.startsWith("/..")
                ? Path.of(mount.point()).resolve(root.relativize(path).toString())
                : null;
    }

    /// The folder within which Belay makes groups for sessions; null if it may not.
    public @Nullable Path place() {
        return Groups.place(folder);
    }

    /// What sessions can be limited by as a whole: those of `cpu`, `memory` and `pids` that groups made by Belay can have.
    public List<String> usable() {
        Path place = place();
        return place == null ? List.of() : List.copyOf(Groups.controllers(place));
    }

    /// Refuses what no session can be held to here: limits of all its processes together, for want of control groups.
    public void require(Resources resources) {
        if (resources.together() == null) {
            return;
        }
        Groups.requirePlace(place(), resources.together());
        Trial trial = delegated();
        if (!trial.worked()) {
            throw Groups.refusal("no control group can be made: " + trial.why());
        }
    }

    /// Whether this process may make groups (version 2 only), which is tried: one is made and removed.
    public Trial delegated() {
        if (folder == null) {
            return Trial.failed(version == Version.NONE || version == Version.V1 ? "no version 2" : "not visible");
        }
        Path place = place();
        if (place == null) {
            return Trial.failed("permission denied");
        }
        Path child = place.resolve("doctor-" + ProcessHandle.current().pid());
        try {
            Files.createDirectory(child);
        } catch (IOException e) {
            return Trial
                    .failed(e instanceof java.nio.file.AccessDeniedException ? "permission denied" : e.getMessage());
        }
        try {
            Files.delete(child);
            return Trial.WORKED;
        } catch (IOException e) {
            return Trial.failed("a group was made, but could not be removed: " + e.getMessage());
        }
    }
}
