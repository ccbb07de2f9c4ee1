package dev.belay.linux;

import dev.belay.Network;
import dev.belay.host.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A sandbox by Landlock and a system call filter, see docs/adr/0012: for machines without user namespaces, and only
/// where the operator names it, since it keeps less than [Bubblewrap].
///
/// The kernel lets the session open what [#rules] lists, and nothing else. There are no mounts: what is not listed is
/// there, but refused. A folder of the session's own is its home and its temporary folder.
final class Landlock extends Sandbox {
    /// With it came scopes for signals and abstract sockets; Linux 6.12.
    static final int LEAST_ABI = 6;

    // Of linux/landlock.h. The headers of Debian 12 do not know the later ones.
    static final int LANDLOCK_CREATE_RULESET_VERSION = 1;
    static final int LANDLOCK_RULE_PATH_BENEATH = 1;
    private static final long EXECUTE = 1;
    private static final long WRITE_FILE = 1 << 1;
    private static final long READ_FILE = 1 << 2;
    private static final long READ_DIR = 1 << 3;
    private static final long REMOVE_DIR = 1 << 4;
    private static final long REMOVE_FILE = 1 << 5;
    private static final long MAKE_DIR = 1 << 7;
    private static final long MAKE_REG = 1 << 8;
    private static final long MAKE_FIFO = 1 << 10;
    private static final long MAKE_SYM = 1 << 12;
    private static final long REFER = 1 << 13;
    private static final long TRUNCATE = 1 << 14;
    private static final long IOCTL_DEV = 1 << 15;
    /// All that there is to restrict.
    private static final long ALL_FILES = (1 << 16) - 1;
    private static final long ALL_TCP = 0b11;
    private static final long ALL_SCOPES = 0b11;
    private static final int RULESET_BYTES = 24;
    private static final int RULE_BYTES = 12;
    private static final int RULE_FD = 8;

    static final long READ = EXECUTE | READ_FILE | READ_DIR;
    static final long WRITE = READ | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_FIFO
            | MAKE_SYM | REFER;
    static final long DEVICE = READ_FILE | WRITE_FILE | IOCTL_DEV;
    /// What can be allowed for a file that is no folder.
    private static final long OF_A_FILE = EXECUTE | READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV;

    private static final List<String> DEVICES =
            List.of("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty");
    /// What says nothing about other processes.
    private static final List<String> MACHINE = List.of(
            "/proc/cpuinfo", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo", "/proc/stat", "/proc/sys",
            "/proc/uptime", "/proc/version");

    private final OwnFolder own;

    Landlock(Path workspace, @Nullable User runAs, Launch launch) {
        super(workspace, runAs, launch);
        requireKept(shown);
        own = new OwnFolder(runAs);
    }

    /// The version of Landlock that this kernel has, or the negated error number.
    static int abi(Libc libc) {
        return libc.landlockCreateRuleset(MemorySegment.NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    }

    /// Refuses kernels that do not have enough of it.
    ///
    /// @param abi as [#abi]
    static void requireKernel(int abi) {
        if (abi >= LEAST_ABI) {
            return;
        }
        String why = switch (-abi) {
            case Errno.ENOSYS -> "this kernel has no Landlock";
            case Errno.EOPNOTSUPP -> "Landlock is switched off; add landlock to the kernel's parameter lsm=";
            case Errno.EPERM, Errno.EACCES -> "the container forbids Landlock; allow it in its seccomp profile";
            default -> abi < 0 ? Errno.text(-abi) : "this kernel has Landlock ABI " + abi;
        };
        throw refusal(why + ". Landlock ABI " + LEAST_ABI + " (Linux 6.12) or newer is needed; or use bubblewrap.");
    }

    /// Refuses what Landlock cannot keep, with the fix. A rule allows all below a path, and no other rule can take a
    /// part of that away again.
    static void requireKept(Shown shown) {
        if (shown.isolation().network() instanceof Network.Hosts) {
            throw refusal("Landlock cannot keep a list of hosts, since its rules know ports only. Use bubblewrap, or"
                    + " set network to \"off\" or \"on\".");
        }
        for (Path file : shown.hidden()) {
            throw refusal("Landlock cannot hide " + file + " inside of what the session is shown. Use bubblewrap, or"
                    + " set hidden to [] to accept that sessions can read it.");
        }
        for (Path file : shown.own()) {
            throw refusal("Landlock cannot hide Belay's own folder " + file + " inside of what the session is shown."
                    + " Choose a state folder elsewhere, or use bubblewrap.");
        }
        if (!shown.isolation().readOnly() && !shown.isolation().protectedPaths().isEmpty()) {
            throw refusal("Landlock cannot keep protected paths such as "
                    + shown.isolation().protectedPaths().getFirst() + " read-only inside of a writable folder. Set"
                    + " protected = [] in [isolation], or give belay run --unprotected, to accept that sessions can"
                    + " change them; or set files = \"read-only\", or use bubblewrap.");
        }
        for (Path path : shown.isolation().readable()) {
            if (writable(shown, path) && !shown.isolation().writable().contains(path)) {
                throw refusal("Landlock cannot keep " + path + " read-only inside of a writable folder. Use bubblewrap,"
                        + " or take it out of readable to accept that sessions can change it.");
            }
        }
    }

    private static boolean writable(Shown shown, Path path) {
        return shown.bound().entrySet().stream().anyMatch(one -> one.getValue() && path.startsWith(one.getKey()));
    }

    /// What the session may open, and how. What does not exist is left out later.
    Map<Path, Long> rules() {
        Map<Path, Long> rules = new TreeMap<>();
        Shown.SYSTEM.forEach(path -> rules.put(Path.of(path), READ));
        Shown.MERGED.forEach(path -> rules.put(Path.of(path), READ));
        DEVICES.forEach(path -> rules.put(Path.of(path), DEVICE));
        MACHINE.forEach(path -> rules.put(Path.of(path), READ));
        Path resolver = resolver();
        if (resolver != null) {
            rules.put(resolver, READ);
        }
        shown.bound().forEach((path, writable) -> rules.put(path, writable ? WRITE : READ));
        rules.put(own.path(), WRITE);
        return rules;
    }

    @Override
    List<String> command(String workdir) {
        if (runAs == null) {
            return Trampoline.command(launch.command(), environment());
        }
        List<String> all = asItsUser();
        all.addAll(Trampoline.inside(launch.command(), environment()));
        return Trampoline.around(all, ":");
    }

    @Override
    List<String> programs() {
        List<String> all = untilItsUser();
        if (runAs != null) {
            all.add(Trampoline.SHELL);
        }
        return all;
    }

    @Override
    Map<String, String> environment() {
        Map<String, String> env = super.environment();
        if (home() != null) {
            env.put("HOME", own.path().toString());
        }
        if (!shown.visible(Path.of(env.getOrDefault("TMPDIR", "/tmp")).normalize())) {
            env.put("TMPDIR", own.path().toString());
        }
        return env;
    }

    /// Prepares the wall for a thread that is to start the session.
    ///
    /// @param arena    lives until the session has started
    /// @param folder   a descriptor of the workspace
    /// @param terminal a descriptor of the session's terminal; -1 if it has none
    /// @return the wall; its descriptor is the caller's to close
    Wall wall(Libc libc, Arena arena, int folder, int terminal) {
        MemorySegment handled = arena.allocate(RULESET_BYTES, 8);
        handled.setAtIndex(ValueLayout.JAVA_LONG, 0, ALL_FILES);
        handled.setAtIndex(ValueLayout.JAVA_LONG, 1, network() instanceof Network.On ? 0 : ALL_TCP);
        handled.setAtIndex(ValueLayout.JAVA_LONG, 2, ALL_SCOPES);
        int ruleset = libc.landlockCreateRuleset(handled, RULESET_BYTES, 0);
        if (ruleset < 0) {
            throw Spawner.failed("set up the sandbox", -ruleset);
        }
        boolean done = false;
        try {
            List<Path> writable = shown.writable();
            for (Map.Entry<Path, Long> rule : rules().entrySet()) {
                if (rule.getKey().equals(shown.workspace())) {
                    allow(libc, arena, ruleset, folder, rule.getValue());
                } else {
                    allow(libc, arena, ruleset, rule.getKey(), rule.getValue(), writable);
                }
            }
            if (terminal >= 0) {
                allow(libc, arena, ruleset, terminal, DEVICE);
            }
            done = true;
        } finally {
            if (!done) {
                libc.close(ruleset);
            }
        }
        return new Wall(ruleset, SandboxFilter.besideLandlock(network()).in(arena));
    }

    private static void allow(
            Libc libc, Arena arena, int ruleset, Path path, long access, List<Path> writable) {
        int fd = TrustedPath.open(libc, arena, path, writable).fd();
        if (fd == -Errno.ENOENT) {
            return;
        }
        if (fd < 0) {
            throw Spawner.failed("show " + path + " to the sandbox", -fd);
        }
        try {
            allow(libc, arena, ruleset, fd, access);
        } finally {
            libc.close(fd);
        }
    }

    private static void allow(Libc libc, Arena arena, int ruleset, int fd, long access) {
        MemorySegment rule = arena.allocate(RULE_BYTES, 8);
        rule.set(ValueLayout.JAVA_LONG, 0, access);
        rule.set(ValueLayout.JAVA_INT, RULE_FD, fd);
        int result = libc.landlockAddRule(ruleset, LANDLOCK_RULE_PATH_BENEATH, rule);
        if (result == -Errno.EINVAL) {
            // Not a folder.
            rule.set(ValueLayout.JAVA_LONG, 0, access & OF_A_FILE);
            result = libc.landlockAddRule(ruleset, LANDLOCK_RULE_PATH_BENEATH, rule);
        }
        if (result < 0) {
            throw Spawner.failed("set up the sandbox", -result);
        }
    }

    /// What a thread puts around itself just before it starts the session.
    ///
    /// @param ruleset a descriptor of the rules
    /// @param filter  the system call filter
    record Wall(int ruleset, MemorySegment filter) {
        /// Confines the calling thread, for good. After this it may start the session and end: it can no longer load
        /// classes, since their files are outside. If this throws, the rules do not hold yet.
        void enter(Libc libc) {
            int result = libc.seccomp(Abi.SECCOMP_SET_MODE_FILTER, 0, filter);
            if (result == 0) {
                result = libc.landlockRestrictSelf(ruleset);
            }
            if (result < 0) {
                throw Spawner.failed("set up the sandbox", -result);
            }
        }
    }

    @Override
    public void close() {
        own.close();
    }
}
