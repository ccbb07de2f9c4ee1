package dev.belay.linux;

import dev.belay.Isolation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

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
        return SYSTEM.stream().anyMatch(file::startsWith)
                || MERGED.stream().anyMatch(file::startsWith)
                || bound.keySet().stream().anyMatch(file::startsWith);
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

    /// Belay's own files, as far as they are inside of something that is shown.
    List<Path> hidden() {
        List<Path> shown = bound.keySet().stream().map(Shown::real).toList();
        return own.stream()
                .map(Shown::real)
                .filter(file -> visible(file) || shown.stream().anyMatch(file::startsWith))
                .toList();
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException _) {
            return path.toAbsolutePath().normalize();
        }
    }
}
