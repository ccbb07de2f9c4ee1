package dev.belay;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What to run and how. Immutable; start with [#of(String...)] and refine:
/// `SessionSpec.of("bash", "-l").size(120, 40).workdir("src").env("LANG", "C")`.
///
/// @param id          the id of the new session, or null for a fresh UUID
/// @param command     the program and its arguments; the program is looked up in the session's own PATH
/// @param workdir     the working folder: relative to the host's workspace, or an absolute path inside it
/// @param env         variables set on top of the environment that [Sessions] gives to every session
/// @param owner       who the session belongs to, and who acts if nobody else is named
/// @param labels      free-form names and values, shown in the record
/// @param timeout     the wall-clock time the session may take, or null for no limit
/// @param idleTimeout how long nothing may happen before the session is ended; null for the default of [Limits]
/// @param lossless    when true, the process waits once the log is full of bytes that [Session#drainer()] has not
///                    drained, as it would on a full pipe; when false it never waits and old bytes become a gap
/// @param resources   what its processes may use
/// @param origin      how it was opened
/// @param keep        when true, the session keeps running after its owner's clients have disconnected
/// @param guard       its restrictions
/// @param startUp     a folder with files that its program reads as it starts, which a sandbox shows too; or null
public record SessionSpec(
        @Nullable String id,
        List<String> command,
        String workdir,
        Map<String, String> env,
        Mode mode,
        String owner,
        Map<String, String> labels,
        @Nullable Duration timeout,
        @Nullable Duration idleTimeout,
        boolean lossless,
        Resources resources,
        Origin origin,
        boolean keep,
        Guard guard,
        @Nullable Path startUp) {
    /// How many labels a session may have.
    public static final int MAX_LABELS = 64;

    /// How long the name of a label may be, in characters.
    public static final int MAX_LABEL_NAME_CHARS = 128;

    /// How long the value of a label may be, in characters.
    public static final int MAX_LABEL_VALUE_CHARS = 1024;

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,128}");

    public SessionSpec {
        if (id != null && !ID.matcher(id).matches()) {
            throw SessionException.invalid("A session id must be 1 to 128 letters, digits, '_' or '-'; "
                    + Quoted.of(id) + " is not.");
        }
        command = List.copyOf(command);
        if (command.isEmpty() || command.getFirst().isEmpty()) {
            throw SessionException.invalid("The command is empty; name a program to run.");
        }
        for (String word : command) {
            requireNoNul("The command", word);
        }
        requireNoNul("The working folder", workdir);
        env = Map.copyOf(env);
        env.forEach((name, value) -> {
            if (name.isEmpty() || name.indexOf('=') >= 0) {
                throw SessionException.invalid(
                        "The name of an environment variable must not be empty or contain '='; " + Quoted.of(name)
                                + " is not valid.");
            }
            requireNoNul("The environment", name);
            requireNoNul("The environment", value);
        });
        labels = Map.copyOf(labels);
        requireShort(labels);
        requirePositive("timeout", timeout);
        requirePositive("idle timeout", idleTimeout);
    }

    /// A command in an 80x24 terminal at the workspace's root, owned by `local`.
    public static SessionSpec of(String... command) {
        return of(List.of(command));
    }

    /// A command in an 80x24 terminal at the workspace's root, owned by `local`.
    public static SessionSpec of(List<String> command) {
        return new SessionSpec(
                null, command, ".", Map.of(), new Mode.Pty(Size.DEFAULT), "local", Map.of(), null, null, false,
                Resources.AS_BELAY, Origin.LIBRARY, false, Guard.NONE, null);
    }

    public SessionSpec id(String value) {
        return new SessionSpec(value, command, workdir, env, mode, owner, labels, timeout, idleTimeout, lossless,
                resources, origin, keep, guard, startUp);
    }

    public SessionSpec workdir(String value) {
        return new SessionSpec(id, command, value, env, mode, owner, labels, timeout, idleTimeout, lossless,
                resources, origin, keep, guard, startUp);
    }

    /// Adds one variable.
    public SessionSpec env(String name, String value) {
        return env(Map.of(name, value));
    }

    /// Adds variables.
    public SessionSpec env(Map<String, String> more) {
        Map<String, String> all = merged(env, more);
        return new SessionSpec(id, command, workdir, all, mode, owner, labels, timeout, idleTimeout, lossless,
                resources, origin, keep, guard, startUp);
    }

    public SessionSpec mode(Mode value) {
        return new SessionSpec(id, command, workdir, env, value, owner, labels, timeout, idleTimeout, lossless,
                resources, origin, keep, guard, startUp);
    }

    /// Runs on pipes instead of a terminal.
    public SessionSpec pipe() {
        return mode(new Mode.Pipe());
    }

    /// Runs in a terminal of this size.
    public SessionSpec size(int cols, int rows) {
        return mode(new Mode.Pty(new Size(cols, rows)));
    }

    public SessionSpec owner(String value) {
        return new SessionSpec(id, command, workdir, env, mode, value, labels, timeout, idleTimeout, lossless,
                resources, origin, keep, guard, startUp);
    }

    /// Adds one label.
    public SessionSpec label(String name, String value) {
        Map<String, String> all = merged(labels, Map.of(name, value));
        return new SessionSpec(id, command, workdir, env, mode, owner, all, timeout, idleTimeout, lossless,
                resources, origin, keep, guard, startUp);
    }

    public SessionSpec timeout(@Nullable Duration value) {
        return new SessionSpec(id, command, workdir, env, mode, owner, labels, value, idleTimeout, lossless,
                resources, origin, keep, guard, startUp);
    }

    public SessionSpec idleTimeout(@Nullable Duration value) {
        return new SessionSpec(id, command, workdir, env, mode, owner, labels, timeout, value, lossless,
                resources, origin, keep, guard, startUp);
    }

    public SessionSpec lossless(boolean value) {
        return new SessionSpec(id, command, workdir, env, mode, owner, labels, timeout, idleTimeout, value, resources,
                origin, keep, guard, startUp);
    }

    public SessionSpec resources(Resources value) {
        return new SessionSpec(id, command, workdir, env, mode, owner, labels, timeout, idleTimeout, lossless, value,
                origin, keep, guard, startUp);
    }

    public SessionSpec origin(Origin value) {
        return new SessionSpec(id, command, workdir, env, mode, owner, labels, timeout, idleTimeout, lossless,
                resources, value, keep, guard, startUp);
    }

    public SessionSpec keep(boolean value) {
        return new SessionSpec(id, command, workdir, env, mode, owner, labels, timeout, idleTimeout, lossless,
                resources, origin, value, guard, startUp);
    }

    public SessionSpec guard(Guard value) {
        return new SessionSpec(id, command, workdir, env, mode, owner, labels, timeout, idleTimeout, lossless,
                resources, origin, keep, value, startUp);
    }

    /// Belay writes these files for the program, so the folder must hold nothing else. It may be deleted as soon as the
    /// program has read them.
    public SessionSpec startUp(Path value) {
        return new SessionSpec(id, command, workdir, env, mode, owner, labels, timeout, idleTimeout, lossless,
                resources, origin, keep, guard, value);
    }

    /// Isolates the session.
    public SessionSpec isolation(Isolation value) {
        return guard(guard.isolation(value));
    }

    /// Shows only the names of variables, because their values may be secret.
    @Override
    public String toString() {
        return "SessionSpec[id=" + id + ", command=" + command + ", workdir=" + workdir + ", env=" + env.keySet()
                + ", mode=" + mode + ", owner=" + owner + ", labels=" + labels + ", timeout=" + timeout
                + ", idleTimeout=" + idleTimeout + ", lossless=" + lossless + ", resources=" + resources + ", origin="
                + origin
                + ", keep=" + keep + ", guard=" + guard + "]";
    }

    private static Map<String, String> merged(Map<String, String> base, Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(base);
        all.putAll(more);
        return all;
    }

    private static void requireShort(Map<String, String> labels) {
        if (labels.size() > MAX_LABELS) {
            throw SessionException.invalid("A session may have at most " + MAX_LABELS + " labels; " + labels.size()
                    + " were given.");
        }
        labels.forEach((name, value) -> {
            if (name.isEmpty() || name.length() > MAX_LABEL_NAME_CHARS) {
                throw SessionException.invalid("The name of a label must have 1 to " + MAX_LABEL_NAME_CHARS
                        + " characters, not " + name.length() + ".");
            }
            if (value.length() > MAX_LABEL_VALUE_CHARS) {
                throw SessionException.invalid("The value of a label may have at most " + MAX_LABEL_VALUE_CHARS
                        + " characters; that of " + Quoted.of(name) + " has " + value.length() + ".");
            }
        });
    }

    private static void requireNoNul(String what, String text) {
        if (text.indexOf('\0') >= 0) {
            throw SessionException.invalid(what + " contains a NUL character, which cannot be passed to a program.");
        }
    }

    private static void requirePositive(String what, @Nullable Duration value) {
        if (value != null && !value.isPositive()) {
            throw SessionException.invalid("The " + what + " must be longer than zero; leave it out for no limit.");
        }
    }
}
