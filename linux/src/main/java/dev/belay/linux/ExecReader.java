package dev.belay.linux;

import dev.belay.Execution;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads what a process asks to start: path, words and loader variables from its memory, and the file beneath its own
/// root. Lives for one look, on one thread.
///
/// The process is held, but other threads of it are not, and may change what was read. So [HeldExec#check] looks again.
final class ExecReader {
    private static final int MAX_PATH = 4096;
    /// More than the kernel takes.
    private static final int MAX_BYTES = 8 << 20;
    private static final int MAX_WORDS = 200_000;
    /// As deep as the kernel follows `#!` lines.
    private static final int MAX_SCRIPTS = 5;
    private static final int CHANGEABLE = 022;
    private static final Set<String> LOADER_VARIABLES = Set.of("LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH");
    private static final Predicate<String> LOADER =
            Pattern.compile("ld(-[^/]*|64)?\\.so(\\.[0-9.]+)?|ld-musl-.*").asMatchPredicate();
    /// Options of `ld.so` that take a value of their own.
    private static final Set<String> LOADER_OPTIONS = Set.of("--preload", "--library-path", "--inhibit-rpath",
            "--audit", "--argv0", "--glibc-hwcaps-prepend", "--glibc-hwcaps-mask");
    private static final Pattern OWN_PROC = Pattern.compile("/+proc/+(?:self|thread-self)/+(.*)");
    private static final Pattern OWN_DESCRIPTOR = Pattern.compile("/+dev/+fd/+(.*)");

    private final Libc libc;
    private final Arena arena;
    private final ExecNotice notice;
    private final Path workspace;
    private final boolean root;

    /// What was found.
    ///
    /// @param started what the kernel would start
    record Found(Execution execution, ExecFile first, Started started) {}

    /// What the kernel starts.
    ///
    /// @param file the file that it loads: the program, or the interpreter of a script
    /// @param line the command line that it gets; null if not all of it is known
    record Started(ExecFile file, @Nullable ExecLine line) {}

    ExecReader(Libc libc, Arena arena, ExecNotice notice, Path workspace) {
        this.libc = libc;
        this.arena = arena;
        this.notice = notice;
        this.workspace = workspace;
        this.root = libc.root();
    }

    /// The path as the process wrote it; null if it cannot be read.
    @Nullable String path() {
        return path(new ProcessMemory(libc, arena, notice.pid()));
    }

    private @Nullable String path(ProcessMemory memory) {
        String bytes = memory.bytes(notice.path(), MAX_PATH);
        return bytes == null ? null : ProcessMemory.decoded(bytes);
    }

    /// @param steering the variables that the session began with
    Found read(SteeringVariables steering) {
        ProcessMemory memory = new ProcessMemory(libc, arena, notice.pid());
        String path = path(memory);
        ProcessMemory.Strings words = memory.strings(notice.words(), notice.pointer(), MAX_WORDS, MAX_BYTES);
        ProcessMemory.Strings variables = memory.strings(notice.variables(), notice.pointer(), MAX_WORDS, MAX_BYTES);
        String workdir = ExecFile.link(libc, arena, "/proc/" + notice.pid() + "/cwd");
        ExecFile first = path == null
                ? ExecFile.missing("unknown", 0)
                : path.isEmpty() && notice.emptyPath()
                        ? opened("/proc/" + notice.pid() + "/fd/" + notice.folder(), path)
                        : find(path, notice.folder());
        List<Execution.Image> images = new ArrayList<>(List.of(image(first, words.texts(), readable(words))));
        Started started = interpreters(first, path == null ? "" : path, words, images);
        boolean foreign = loads(images) || !variables.whole()
                || variables.texts().stream().anyMatch(ExecReader::foreign);
        return new Found(
                new Execution(
                        notice.pid(), images, workdir == null || workdir.indexOf('\uFFFD') >= 0 ? "" : workdir, foreign,
                        steering.of(variables.texts())),
                first, started);
    }

    /// Whether it is a loader variable that is not Belay's own: a request can name variables, and agents make requests.
    private static boolean foreign(String variable) {
        int equals = variable.indexOf('=');
        String name = equals < 0 ? variable : variable.substring(0, equals);
        return LOADER_VARIABLES.contains(name) && !variable.equals(name + "=" + System.getenv(name));
    }

    /// Whether all words are known as they are. Bytes that are no text would make different words look alike.
    private static boolean readable(ProcessMemory.Strings words) {
        return words.whole() && words.texts().stream().noneMatch(word -> word.indexOf('\uFFFD') >= 0);
    }

    /// Follows `#!` lines.
    private Started interpreters(
            ExecFile first, String path, ProcessMemory.Strings words, List<Execution.Image> images) {
        ExecFile file = first;
        // The kernel makes up an empty name for a program that is given none.
        List<String> line = words.bytes().isEmpty() ? List.of("") : words.bytes();
        String name = scriptName(path);
        for (int i = 0; i < MAX_SCRIPTS; i++) {
            String script = file.script();
            if (script == null || script.isEmpty()) {
                break;
            }
            int space = firstBlank(script);
            String interpreter = script.substring(0, space);
            List<String> longer = new ArrayList<>(List.of(interpreter));
            if (space < script.length()) {
                longer.add(script.substring(space).strip());
            }
            longer.add(name);
            longer.replaceAll(ExecReader::encoded);
            longer.addAll(line.subList(1, line.size()));
            line = longer;
            file = find(interpreter, Abi.AT_FDCWD);
            images.add(image(file, line.stream().map(ProcessMemory::decoded).toList(), words.whole()));
            name = interpreter;
        }
        return new Started(file, words.whole() ? ExecLine.of(line) : null);
    }

    private static int firstBlank(String text) {
        int at = 0;
        while (at < text.length() && text.charAt(at) != ' ' && text.charAt(at) != '\t') {
            at++;
        }
        return at;
    }

    /// What the kernel calls a script when it tells its interpreter which one to run.
    private String scriptName(String path) {
        if (path.startsWith("/") || notice.folder() == Abi.AT_FDCWD) {
            return path;
        }
        return "/dev/fd/" + notice.folder() + (path.isEmpty() ? "" : "/" + path);
    }

    /// A text with one character per byte.
    private static String encoded(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /// Adds the program that a loader is given.
    ///
    /// @return whether there is a loader: the kernel does not know which program it starts, nor with what in it
    private boolean loads(List<Execution.Image> images) {
        Execution.Image image = images.getLast();
        if (!LOADER.test(image.name())) {
            return false;
        }
        List<String> words = image.words();
        int at = 1;
        while (at < words.size() && words.get(at).startsWith("--")) {
            at += LOADER_OPTIONS.contains(words.get(at)) ? 2 : 1;
        }
        if (at < words.size()) {
            ExecFile file = find(words.get(at), Abi.AT_FDCWD);
            images.add(image(file, words.subList(at, words.size()), image.whole()));
        }
        return true;
    }

    private Execution.Image image(ExecFile file, List<String> words, boolean whole) {
        return new Execution.Image(file.path(), file.named(), writable(file), words, whole);
    }

    /// Whether the session may change a file. Root may change all of them, so there it is what belongs to others or may
    /// be written by them.
    private boolean writable(ExecFile file) {
        if (!file.named()) {
            return true;
        }
        if (file.readOnly()) {
            return false;
        }
        if (Path.of(file.path()).startsWith(workspace)) {
            return true;
        }
        if (root) {
            return file.owner() != 0 || (file.mode() & CHANGEABLE) != 0 || !Shown.ofSystem(Path.of(file.path()));
        }
        if (file.owner() == user()) {
            // An owner can change the mode. In a sandbox, the file may be where Belay cannot see it.
            return true;
        }
        int folder = file.path().lastIndexOf('/');
        return libc.faccessat(Abi.AT_FDCWD, arena.allocateFrom(file.path()), Abi.W_OK) == 0
                || libc.faccessat(
                        Abi.AT_FDCWD, arena.allocateFrom(folder <= 0 ? "/" : file.path().substring(0, folder)),
                        Abi.W_OK) == 0;
    }

    /// The user of the process; -1 if that is unknown.
    private int user() {
        MemorySegment stat = arena.allocate(Abi.STATX_BYTES, 8);
        int result = libc.statx(
                Abi.AT_FDCWD, arena.allocateFrom("/proc/" + notice.pid()), 0, Abi.STATX_BASIC_STATS, stat);
        return result < 0 ? -1 : stat.get(ValueLayout.JAVA_INT, Abi.STATX_UID_OFFSET);
    }

    // --- files ---

    /// Finds a file the way the process does: beneath its root, from its folder.
    private ExecFile find(String path, int folder) {
        Matcher self = OWN_PROC.matcher(path);
        Matcher descriptor = OWN_DESCRIPTOR.matcher(path);
        if (self.matches()) {
            // These names mean another process to every process: here they would mean Belay.
            return opened("/proc/" + notice.pid() + "/" + self.group(1), path);
        }
        if (descriptor.matches()) {
            return opened("/proc/" + notice.pid() + "/fd/" + descriptor.group(1), path);
        }
        String base = folder == Abi.AT_FDCWD ? "cwd" : "fd/" + folder;
        boolean absolute = path.startsWith("/");
        String from = absolute || !ownRoot() ? "root" : base;
        String rest = absolute || ownRoot() ? path : inside(base) + "/" + path;
        int start = libc.open(
                arena.allocateFrom("/proc/" + notice.pid() + "/" + from), Abi.O_PATH | Abi.O_CLOEXEC);
        if (start < 0) {
            return ExecFile.missing(path, Errno.EACCES);
        }
        try {
            MemorySegment how = arena.allocate(Workspace.HOW_BYTES, 8);
            how.set(ValueLayout.JAVA_LONG, 0, Abi.O_PATH | Abi.O_CLOEXEC);
            how.set(ValueLayout.JAVA_LONG, 16,
                    Abi.RESOLVE_NO_MAGICLINKS | (from.equals("root") ? Abi.RESOLVE_IN_ROOT : 0));
            return taken(libc.openat2(start, arena.allocateFrom(rest), how, Workspace.HOW_BYTES), path);
        } finally {
            libc.close(start);
        }
    }

    /// Whether the process has the same root as Belay.
    private boolean ownRoot() {
        return sameFile("/proc/" + notice.pid() + "/root", "/");
    }

    private boolean sameFile(String one, String other) {
        MemorySegment first = arena.allocate(Abi.STATX_BYTES, 8);
        MemorySegment second = arena.allocate(Abi.STATX_BYTES, 8);
        return libc.statx(Abi.AT_FDCWD, arena.allocateFrom(one), 0, Abi.STATX_BASIC_STATS, first) == 0
                && libc.statx(Abi.AT_FDCWD, arena.allocateFrom(other), 0, Abi.STATX_BASIC_STATS, second) == 0
                && ExecFile.device(first) == ExecFile.device(second)
                && first.get(ValueLayout.JAVA_LONG, Abi.STATX_INO_OFFSET) == second.get(ValueLayout.JAVA_LONG,
                        Abi.STATX_INO_OFFSET);
    }

    /// A folder of the process as a path beneath its root.
    private String inside(String base) {
        String link = ExecFile.link(libc, arena, "/proc/" + notice.pid() + "/" + base);
        return link == null ? "" : link;
    }

    private ExecFile opened(String magic, String asked) {
        return taken(libc.open(arena.allocateFrom(magic), Abi.O_PATH | Abi.O_CLOEXEC), asked);
    }

    private ExecFile taken(int fd, String asked) {
        if (fd < 0) {
            return ExecFile.missing(asked, -fd);
        }
        try {
            return ExecFile.of(libc, arena, fd, asked);
        } finally {
            libc.close(fd);
        }
    }
}
