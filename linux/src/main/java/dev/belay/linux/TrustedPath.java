package dev.belay.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/// A path that settings name, opened for a sandbox. Links are followed where only the operator can have made them,
/// and
/// refused in folders that sessions can write.
///
/// @param fd   the file, for looking at only; the caller's to close. Negative: the negated error number
/// @param real its path without links
record TrustedPath(int fd, Path real) {
    private static final int MAX_LINKS = 40;
    private static final int PATH_BYTES = 4096;

    /// Opens a path.
    ///
    /// @param path     absolute
    /// @param writable folders that sessions can write, without links
    static TrustedPath open(Libc libc, Arena arena, Path path, List<Path> writable) {
        Deque<Path> rest = new ArrayDeque<>();
        path.normalize().forEach(rest::add);
        Path real = Path.of("/");
        int fd = libc.open(arena.allocateFrom("/"), Abi.O_PATH | Abi.O_CLOEXEC);
        for (int links = 0; fd >= 0 && !rest.isEmpty();) {
            Path name = rest.remove();
            int next = new Beneath(libc, arena, fd).open(name.toString());
            String target = next < 0 ? "" : target(libc, arena, next);
            if (!target.isEmpty()) {
                libc.close(next);
                if (writable.stream().anyMatch(real::startsWith)) {
                    libc.close(fd);
                    throw linkRefused(real.resolve(name), target);
                }
                if (++links > MAX_LINKS) {
                    libc.close(fd);
                    return new TrustedPath(-Errno.ELOOP, real);
                }
                Path leads = real.resolve(target).normalize();
                Deque<Path> all = new ArrayDeque<>();
                leads.forEach(all::add);
                all.addAll(rest);
                rest = all;
                next = libc.open(arena.allocateFrom("/"), Abi.O_PATH | Abi.O_CLOEXEC);
                real = Path.of("/");
            } else {
                real = real.resolve(name);
            }
            libc.close(fd);
            fd = next;
        }
        return new TrustedPath(fd, real);
    }

    private static String target(Libc libc, Arena arena, int fd) {
        if (!FileFacts.of(libc, arena, fd).link()) {
            return "";
        }
        MemorySegment into = arena.allocate(PATH_BYTES);
        int count = libc.readlinkat(fd, arena.allocateFrom(""), into, PATH_BYTES);
        return count < 0
                ? ""
                : new String(into.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    /// The refusal of a link in a place where a session may have made it.
    static RuntimeException linkRefused(Path link, String target) {
        return Sandbox.refusal(dev.belay.Quoted.of(link.toString()) + " is a link to " + dev.belay.Quoted.of(target)
                + ", and a sandbox follows no links that a session may have made. Remove the link, or put what"
                + " it leads"
                + " to in its place; if it is one of the protected paths, you can also take it out of protected.");
    }
}
