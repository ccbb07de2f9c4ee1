package dev.belay.linux;

import dev.belay.Isolation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The files that a sandbox shows, whatever keeps it.
final class Shown {
    /// Programs and settings of the system, read-only.
    static final List<String> SYSTEM = List.of("/usr", "/etc", "/opt", "/nix/store");
    /// Often links into `/usr`.
    static final List<String> MERGED = List.of("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32");
    /// Created in every sandbox, or shown in part.
    static final List<String> FRESH = List.of("/proc", "/dev", "/sys");

    private final Path workspace;
    private final Isolation isolation;
    private final List<Path> own;
    private final Map<Path, Boolean> bound = new TreeMap<>();

    /// @param own Belay's own files, which are never shown
    Shown(Path workspace, Isolation isolation, List<Path> own) {
        this.workspace = workspace;
        this.isolation = isolation;
        this.own = own;
        isolation.readable().forEach(path -> bound.put(path, false));
        isolation.writable().forEach(path -> bound.put(path, !isolation.readOnly()));
        bound.put(workspace, !isolation.readOnly());
    }

    /// Shows one more folder, read-only.
    ///
    /// @param folder null: none
    /// @return this
    Shown with(@Nullable Path folder) {
        if (folder != null) {
            bound.put(folder, false);
        }
        return this;
    }

    Path workspace() {
        return workspace;
    }

    Isolation isolation() {
        return isolation;
    }

    /// What is shown besides the system, and whether it can be written; parents first.
    Map<Path, Boolean> bound() {
        return Collections.unmodifiableMap(bound);
    }

    boolean visible(Path file) {
        return ofSystem(file) || bound.keySet().stream().anyMatch(file::startsWith);
    }

    static boolean ofSystem(Path file) {
        return SYSTEM.stream().anyMatch(file::startsWith) || MERGED.stream().anyMatch(file::startsWith);
    }

    /// Whether the session can write in a place: the nearest folder above it that is listed decides.
    boolean writable(Path path) {
        return bound.entrySet().stream()
                .filter(one -> path.startsWith(one.getKey()))
                .max(Comparator.comparingInt(one -> one.getKey().getNameCount()))
                .map(Map.Entry::getValue)
                .orElse(false);
    }

    /// The folders that sessions can write, without links.
    List<Path> writable() {
        return bound.entrySet().stream().filter(Map.Entry::getValue).map(one -> real(one.getKey())).toList();
    }

    /// Belay's own files, by their names inside, as far as they are below something that is shown.
    List<Path> own() {
        return own.stream().flatMap(this::below).distinct().toList();
    }

    /// What the settings hide of all that is shown, by its names inside. Links to it are followed: what they lead to is
    /// hidden, under all its names.
    List<Path> hidden() {
        return isolation.hidden().stream()
                .flatMap(file -> Stream.concat(
                        below(file), roots().filter(root -> real(root).startsWith(real(file)))))
                .distinct()
                .toList();
    }

    private Stream<Path> below(Path file) {
        return roots().filter(root -> real(file).startsWith(real(root)))
                .map(root -> root.resolve(real(root).relativize(real(file))).normalize());
    }

    /// What a sandbox shows under its own name.
    private Stream<Path> roots() {
        return Stream.concat(
                Stream.concat(SYSTEM.stream(), MERGED.stream()).map(Path::of)
                        .filter(path -> !MERGED.contains(path.toString()) || !Files.isSymbolicLink(path)),
                bound.keySet().stream());
    }

    /// Refuses to hide what sessions can rename, since the next one would see it under its new name.
    void requireHidden() {
        for (Path file : hidden()) {
            if (file.startsWith(workspace) || isolation.writable().stream().anyMatch(file::startsWith)) {
                throw Sandbox.refusal("hidden names " + file + ", which is in the workspace or in writable, where"
                        + " sessions could rename it. Move it elsewhere, or take it out of hidden.");
            }
        }
    }

    static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException _) {
            return path.toAbsolutePath().normalize();
        }
    }
}
