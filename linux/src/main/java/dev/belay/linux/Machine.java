package dev.belay.linux;

import dev.belay.SessionException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.ToIntBiFunction;

/// What this machine offers to the Linux host, found out without starting one.
///
/// Nothing here throws because something is missing, may not be read, or because native access is not enabled: that is
/// the information asked for. Anything opened for an attempt is closed at once. Any thread may call this.
public final class Machine {
    private static final int LONGEST_VERSION = 64;
    private static final int MAX_TEXT_BYTES = 4 << 20;

    private Machine() {}

    /// A resource limit of this process; [#UNLIMITED] if there is none.
    public record Limit(long soft, long hard) {
        public static final long UNLIMITED = Long.MAX_VALUE;
    }

    /// The C library. The version is empty if it is unknown.
    public record CLibrary(String name, String version) {
        public boolean isGnu() {
            return name.equals("glibc");
        }
    }

    /// Pseudo-terminals, as the kernel counts them for the whole machine.
    ///
    /// @param reserved how many of them are reserved for the first mount namespace; containers cannot use them
    public record Terminals(long max, long inUse, long reserved) {}

    public record Memory(long totalBytes, long availableBytes) {}

    // --- without native calls ---

    /// Whether Belay may call native code.
    public static boolean nativeAccess() {
        return Machine.class.getModule().isNativeAccessEnabled();
    }

    /// The JVM option that enables native access.
    public static String nativeAccessOption() {
        Module module = Machine.class.getModule();
        return "--enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }

    /// Whether the host supports this system and processor.
    public static Attempt processor() {
        try {
            Abi.current();
            return Attempt.WORKED;
        } catch (SessionException e) {
            return Attempt.failed(e.getMessage());
        }
    }

    /// Whether a version such as `6.1.0-13-amd64` is at least the one needed.
    public static boolean atLeast(String version, int major, int minor) {
        String[] parts = version.split("[^0-9]+", 3);
        int first = number(parts, 0);
        return first > major || (first == major && number(parts, 1) >= minor);
    }

    private static int number(String[] parts, int index) {
        boolean absent = index >= parts.length || parts[index].isEmpty() || parts[index].length() > 9;
        return absent ? 0 : Integer.parseInt(parts[index]);
    }

    /// Whether `/proc` shows processes.
    public static Attempt proc() {
        for (String file : List.of("/proc/self/stat", "/proc/self/limits")) {
            if (text(file).isEmpty()) {
                return Attempt.failed("cannot read " + file);
            }
        }
        return Attempt.WORKED;
    }

    /// The value of the mount option `hidepid` of `/proc`, which hides processes of other users; empty if it hides
    /// none.
    public static Optional<String> hidepid() {
        return hidepid(text("/proc/self/mountinfo"));
    }

    static Optional<String> hidepid(String mountinfo) {
        return Mounts.parse(mountinfo)
                .at("/proc")
                .flatMap(mount -> mount.option("hidepid"))
                .filter(value -> !value.equals("0") && !value.equals("off"));
    }

    /// A limit by its name in `/proc/self/limits`, such as `Max open files`.
    public static Optional<Limit> limit(String name) {
        return limit(text("/proc/self/limits"), name);
    }

    static Optional<Limit> limit(String limits, String name) {
        return limits.lines()
                .filter(line -> line.startsWith(name + "  "))
                .findFirst()
                .map(line -> line.substring(name.length()).strip().split(" +", -1))
                .filter(words -> words.length >= 2)
                .map(words -> new Limit(limitValue(words[0]), limitValue(words[1])));
    }

    private static long limitValue(String word) {
        // More than 18 digits is as good as unlimited.
        return word.equals("unlimited") || word.length() > 18 ? Limit.UNLIMITED : Long.parseLong(word);
    }

    /// Empty if the kernel does not say.
    public static Optional<Terminals> terminals() {
        OptionalLong max = value("/proc/sys/kernel/pty/max");
        OptionalLong inUse = value("/proc/sys/kernel/pty/nr");
        if (max.isEmpty() || inUse.isEmpty()) {
            return Optional.empty();
        }
        long most = max.getAsLong();
        Optional<String> here = Mounts.parse(text("/proc/self/mountinfo"))
                .at("/dev/pts")
                .flatMap(mount -> mount.option("max"))
                .filter(text -> text.matches("\\d{1,9}"));
        most = here.isPresent() ? Math.min(most, Long.parseLong(here.get())) : most;
        return Optional.of(
                new Terminals(most, inUse.getAsLong(), value("/proc/sys/kernel/pty/reserve").orElse(0)));
    }

    public static Optional<Memory> memory() {
        return memory(text("/proc/meminfo"));
    }

    static Optional<Memory> memory(String meminfo) {
        OptionalLong total = kibibytes(meminfo, "MemTotal:");
        OptionalLong available = kibibytes(meminfo, "MemAvailable:");
        return total.isPresent() && available.isPresent()
                ? Optional.of(new Memory(total.getAsLong() << 10, available.getAsLong() << 10))
                : Optional.empty();
    }

    private static OptionalLong kibibytes(String meminfo, String name) {
        return meminfo.lines()
                .filter(line -> line.startsWith(name))
                .map(line -> line.replaceAll("[^0-9]", ""))
                .filter(digits -> !digits.isEmpty())
                .mapToLong(Long::parseLong)
                .findFirst();
    }

    public static CgroupSupport controlGroups() {
        return CgroupSupport.look();
    }

    private static OptionalLong value(String file) {
        String text = text(file).strip();
        return text.matches("\\d{1,18}") ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
    }

    /// The text of a small file; empty if it cannot be read. Reads with a large buffer at once, because a file in
    /// `/proc/sys` returns its value to the first read only, and [java.nio.file.Files#readAllBytes] starts with one
    /// byte if the size is 0.
    static String text(String file) {
        try (InputStream in = new FileInputStream(file)) {
            return new String(in.readNBytes(MAX_TEXT_BYTES), StandardCharsets.UTF_8);
        } catch (IOException _) {
            return "";
        }
    }

    // --- with native calls ---

    /// The C library that the JVM runs on. Does not use [Libc], which fails to load if functions are missing.
    public static CLibrary cLibrary() {
        Optional<MemorySegment> version = Linker.nativeLinker().defaultLookup().find("gnu_get_libc_version");
        if (version.isEmpty()) {
            return new CLibrary(text("/proc/self/maps").contains("musl") ? "musl" : "not the GNU C library", "");
        }
        return new CLibrary("glibc", nativeAccess() ? answer(version.get()) : "");
    }

    private static String answer(MemorySegment function) {
        MethodHandle handle =
                Linker.nativeLinker().downcallHandle(function, FunctionDescriptor.of(ValueLayout.ADDRESS));
        try {
            return ((MemorySegment) handle.invokeExact()).reinterpret(LONGEST_VERSION).getString(0);
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw new AssertionError("a native call throws nothing", impossible);
        }
    }

    /// Opens a folder beneath another, the way working folders are opened.
    public static Attempt openat2() {
        return attempt((libc, arena) -> {
            MemorySegment how = arena.allocate(Workspace.HOW_BYTES, 8);
            how.set(ValueLayout.JAVA_LONG, 0, Abi.O_PATH | Abi.O_CLOEXEC | Abi.current().oDirectory());
            how.set(ValueLayout.JAVA_LONG, 16, Abi.RESOLVE_BENEATH | Abi.RESOLVE_NO_MAGICLINKS);
            int root = libc.open(arena.allocateFrom("/"), Abi.O_PATH | Abi.O_CLOEXEC);
            int result = root < 0 ? root : libc.openat2(root, arena.allocateFrom("."), how, Workspace.HOW_BYTES);
            closed(libc, result, root);
            return closed(libc, result, result);
        });
    }

    /// Opens a pidfd of this process and checks that it can be signalled.
    public static Attempt pidfd() {
        return attempt((libc, _) -> {
            int fd = libc.pidfdOpen(ProcessHandle.current().pid());
            return closed(libc, fd < 0 ? fd : libc.pidfdSendSignal(fd, 0), fd);
        });
    }

    /// Opens both sides of a pseudo-terminal.
    public static Attempt terminal() {
        return attempt((libc, arena) -> {
            int master = libc.open(arena.allocateFrom("/dev/ptmx"), Abi.O_RDWR | Abi.O_NOCTTY | Abi.O_CLOEXEC);
            if (master < 0) {
                return master;
            }
            int result = libc.ioctl(master, Abi.TIOCSPTLCK, arena.allocateFrom(ValueLayout.JAVA_INT, 0));
            int slave = result < 0
                    ? result
                    : libc.ioctl(master, Abi.TIOCGPTPEER, (long) (Abi.O_RDWR | Abi.O_NOCTTY | Abi.O_CLOEXEC));
            closed(libc, slave, master);
            return closed(libc, slave, slave);
        });
    }

    /// Whether processes can be given a [Tag]. Reads the limit that would carry it.
    public static Attempt tag() {
        Optional<Limit> locks = limit("Max file locks");
        if (locks.isEmpty()) {
            return Attempt.failed("/proc/self/limits has no line for file locks");
        }
        return locks.get().hard() >= Tag.MOST
                ? Attempt.WORKED
                : Attempt.failed("the hard limit on file locks is " + locks.get().hard());
    }

    /// Whether orphaned descendants become children of this process; empty if unknown.
    public static Optional<Boolean> subreaper() {
        int[] answer = new int[1];
        Attempt asked = attempt((libc, arena) -> {
            MemorySegment is = arena.allocate(ValueLayout.JAVA_INT);
            int result = libc.prctl(Abi.PR_GET_CHILD_SUBREAPER, is);
            answer[0] = is.get(ValueLayout.JAVA_INT, 0);
            return result;
        });
        return asked.worked() ? Optional.of(answer[0] != 0) : Optional.empty();
    }

    /// The version of Landlock's interface that the kernel has; 0 if there is none, or if it is unknown.
    public static int landlockAbi() {
        int[] version = new int[1];
        attempt((libc, _) -> version[0] = Landlock.abi(libc));
        return Math.max(0, version[0]);
    }

    /// Starts a host and closes it.
    public static Attempt host() {
        try (LinuxHost host = LinuxHost.at(Path.of("/"))) {
            return host.workspace().equals(Path.of("/")) ? Attempt.WORKED : Attempt.failed("/ is not /");
        } catch (SessionException | LinkageError e) {
            return Attempt.failed(e.getMessage());
        }
    }

    private static Attempt attempt(ToIntBiFunction<Libc, Arena> call) {
        if (!nativeAccess()) {
            return Attempt.notTried("native access is not enabled");
        }
        Attempt known = processor();
        if (!known.worked()) {
            return Attempt.notTried(known.why());
        }
        try (Arena arena = Arena.ofConfined()) {
            int result = call.applyAsInt(new Libc(arena), arena);
            return result >= 0 ? Attempt.WORKED : Attempt.failed(Errno.text(-result));
        } catch (SessionException e) {
            return Attempt.notTried(e.getMessage());
        } catch (LinkageError _) {
            return Attempt.notTried("the C library lacks a function that Belay needs");
        }
    }

    /// Closes the descriptor, if it is one, and returns the result.
    private static int closed(Libc libc, int result, int fd) {
        if (fd >= 0) {
            libc.close(fd);
        }
        return result;
    }
}
