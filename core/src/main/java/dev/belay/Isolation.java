package dev.belay;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// What the kernel lets the processes of a session do. Start with [#NONE], [#LIMITS] or [#SANDBOX] and refine.
///
/// Everything except `tier` applies to sandboxes only. A sandbox shows the programs and settings of the system (`/usr`,
/// `/etc`, `/opt`), read-only, the workspace, and what is listed here.
///
/// @param readOnly       whether the workspace and `writable` can only be read
/// @param readable       more files and folders to read, absolute
/// @param writable       more files and folders to read and write, absolute
/// @param hidden         files and folders that are not shown although they are below others that are, absolute
/// @param tmpBytes       how much fits into `/tmp`, into the empty home and into `/dev/shm`, each
/// @param protectedPaths what stays as it is in the workspace, relative to it; see [#PROTECTED]
public record Isolation(Tier tier, boolean readOnly, Network network, List<Path> readable, List<Path> writable,
        List<Path> hidden, long tmpBytes, List<String> protectedPaths) {
    /// What people or their tools run later without looking: Git's settings and hooks, settings of agents and editors.
    /// `.git` means what makes Git run programs; commits and branches can be made.
    public static final List<String> PROTECTED = List.of(
            ".git", ".mcp.json", ".claude", ".codex", ".agents", ".gemini", ".cursor", ".vscode", ".idea", ".husky",
            ".envrc", ".npmrc");

    /// Protected where they exist, beside any other path: settings of Git, start-up files of shells. They may be made,
    /// since nobody reads them from a project's folder unless it is also somebody's home.
    public static final List<String> PROTECTED_IF_PRESENT = List.of(
            ".gitconfig", ".gitmodules", ".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout",
            ".zshrc", ".zshenv", ".zprofile", ".zlogin");

    private static final long TMP_BYTES = 1L << 30;

    /// No restrictions beyond those of Belay's own user.
    public static final Isolation NONE = of(Tier.NONE, List.of());

    /// The minimum where nobody has chosen one: no restrictions, but a sandbox that somebody asks for protects
    /// [#PROTECTED].
    public static final Isolation STANDARD = of(Tier.NONE, PROTECTED);

    /// No new privileges.
    public static final Isolation LIMITS = of(Tier.LIMITS, List.of());

    /// A sandbox that may write to the workspace and has no network.
    public static final Isolation SANDBOX = of(Tier.SANDBOX, PROTECTED);

    public Isolation {
        readable = absolute(readable);
        writable = absolute(writable);
        hidden = absolute(hidden);
        if (tmpBytes <= 0) {
            throw SessionException.invalid("The size of /tmp in a sandbox must be positive.");
        }
        protectedPaths = List.copyOf(protectedPaths);
        for (String path : protectedPaths) {
            Path relative = Path.of(path);
            if (path.isEmpty() || relative.isAbsolute() || relative.normalize().startsWith("..")) {
                throw SessionException.invalid("The protected path " + Quoted.of(path)
                        + " must be relative to the workspace and inside of it.");
            }
        }
    }

    private static Isolation of(Tier tier, List<String> kept) {
        return new Isolation(tier, false, new Network.Off(), List.of(), List.of(), List.of(), TMP_BYTES, kept);
    }

    private static List<Path> absolute(List<Path> paths) {
        for (Path path : paths) {
            if (!path.isAbsolute()) {
                throw SessionException.invalid(
                        "The path " + Quoted.of(path.toString()) + " of a sandbox must be absolute.");
            }
        }
        return paths.stream().map(Path::normalize).toList();
    }

    public Isolation tier(Tier value) {
        return new Isolation(value, readOnly, network, readable, writable, hidden, tmpBytes, protectedPaths);
    }

    public Isolation readOnly(boolean value) {
        return new Isolation(tier, value, network, readable, writable, hidden, tmpBytes, protectedPaths);
    }

    public Isolation network(Network value) {
        return new Isolation(tier, readOnly, value, readable, writable, hidden, tmpBytes, protectedPaths);
    }

    public Isolation readable(List<Path> value) {
        return new Isolation(tier, readOnly, network, value, writable, hidden, tmpBytes, protectedPaths);
    }

    public Isolation writable(List<Path> value) {
        return new Isolation(tier, readOnly, network, readable, value, hidden, tmpBytes, protectedPaths);
    }

    public Isolation hidden(List<Path> value) {
        return new Isolation(tier, readOnly, network, readable, writable, value, tmpBytes, protectedPaths);
    }

    public Isolation tmpBytes(long value) {
        return new Isolation(tier, readOnly, network, readable, writable, hidden, value, protectedPaths);
    }

    public Isolation protectedPaths(List<String> value) {
        return new Isolation(tier, readOnly, network, readable, writable, hidden, tmpBytes, value);
    }

    public boolean sandboxed() {
        return tier == Tier.SANDBOX;
    }

    /// The stricter of these and the others, part by part. Files beyond the workspace are those of `most`, if it is a
    /// sandbox. What either hides or protects counts at any tier, since another may ask for the sandbox.
    public Isolation within(Isolation most) {
        Isolation shown = most.sandboxed() ? most : this;
        Isolation asked = sandboxed() ? this : shown;
        return new Isolation(
                most.tier.compareTo(tier) > 0 ? most.tier : tier,
                asked.readOnly || shown.readOnly,
                asked.network.within(shown.network),
                shown.readable,
                shown.writable,
                both(most.hidden, hidden),
                Math.min(tmpBytes, most.tmpBytes),
                both(most.protectedPaths, protectedPaths));
    }

    private static <T> List<T> both(List<T> one, List<T> other) {
        return Stream.concat(one.stream(), other.stream()).distinct().toList();
    }
}
