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

/// What this machine offers in control groups, as this process sees them.
///
/// @param mount       where they are mounted: the unified hierarchy if there is one; null if nothing is mounted
/// @param own         the cgroup of this process in it; null if unknown
/// @param folder      the folder of that cgroup; null if it is not visible from here
/// @param controllers the controllers of this process's cgroup (version 2), or those that are mounted (version 1)
public record CgroupSupport(
        Version version,
        @Nullable String mount,
        @Nullable String own,
        @Nullable Path folder,
        List<String> controllers) {
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

    /// Reads `/proc`; without it, reports none.
    static CgroupSupport look() {
        CgroupSupport seen = parse(Machine.text("/proc/self/mountinfo"), Machine.text("/proc/self/cgroup"));
        if (seen.version != Version.V2 || seen.folder == null) {
            return seen;
        }
        String available = Machine.text(seen.folder.resolve("cgroup.controllers").toString()).strip();
        List<String> controllers = available.isEmpty() ? List.of() : List.of(available.split(" +", -1));
        return new CgroupSupport(seen.version, seen.mount, seen.own, seen.folder, controllers);
    }

    static CgroupSupport parse(String mountinfo, String membership) {
        Mounts mounts = Mounts.parse(mountinfo);
        List<Mounts.Mount> unified = mounts.ofType("cgroup2");
        TreeSet<String> controllers = new TreeSet<>();
        List<Mounts.Mount> old = new ArrayList<>(mounts.ofType("cgroup"));
        for (Mounts.Mount mount : old) {
            mount.options().stream().filter(CgroupSupport::isController).forEach(controllers::add);
        }
        if (unified.isEmpty() && old.isEmpty()) {
            return new CgroupSupport(Version.NONE, null, null, null, List.of());
        }
        if (unified.isEmpty()) {
            return new CgroupSupport(Version.V1, old.getFirst().point(), null, null, List.copyOf(controllers));
        }
        Mounts.Mount mount = unified.getLast();
        String own = ownIn(membership);
        return new CgroupSupport(
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

    /// The path in the line of the unified hierarchy, `0::/path`.
    private static @Nullable String ownIn(String membership) {
        for (String line : membership.split("\n", -1)) {
            if (line.startsWith("0::/")) {
                return line.substring(3);
            }
        }
        return null;
    }

    /// Null for a cgroup outside of what is mounted: its path begins with `/..`.
    private static @Nullable Path folder(Mounts.Mount mount, String own) {
        Path root = Path.of(mount.root());
        Path path = Path.of(own);
        return path.startsWith(root) && !own.startsWith("/..")
                ? Path.of(mount.point()).resolve(root.relativize(path).toString())
                : null;
    }

    /// The folder in which Belay makes cgroups for sessions; null if it may not.
    public @Nullable Path place() {
        return HostCgroup.place(folder);
    }

    /// The controllers, of `cpu`, `memory` and `pids`, that Belay can use to limit a session as a whole.
    public List<String> usable() {
        Path place = place();
        return place == null ? List.of() : List.copyOf(HostCgroup.controllers(place));
    }

    /// Throws if the resources limit all processes together and this machine cannot do that.
    public void require(Resources resources) {
        if (resources.together() == null) {
            return;
        }
        HostCgroup.requirePlace(place(), resources.together());
        Attempt attempt = delegated();
        if (!attempt.worked()) {
            throw HostCgroup.refusal("cannot create a cgroup: " + attempt.why());
        }
    }

    /// Tries whether this process may make cgroups (version 2 only), by making one and removing it.
    public Attempt delegated() {
        if (folder == null) {
            return Attempt.failed(version == Version.NONE || version == Version.V1 ? "no cgroup v2" : "not visible");
        }
        Path place = place();
        if (place == null) {
            return Attempt.failed("permission denied");
        }
        Path child = place.resolve("doctor-" + ProcessHandle.current().pid());
        try {
            Files.createDirectory(child);
        } catch (IOException e) {
            return Attempt
                    .failed(e instanceof java.nio.file.AccessDeniedException ? "permission denied" : e.getMessage());
        }
        try {
            Files.delete(child);
            return Attempt.WORKED;
        } catch (IOException e) {
            return Attempt.failed("a cgroup was created, but cannot be removed: " + e.getMessage());
        }
    }
}
