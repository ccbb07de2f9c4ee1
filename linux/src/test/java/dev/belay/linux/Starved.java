package dev.belay.linux;

import dev.belay.Environment;
import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Until;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/// A program that uses up its last descriptor and then closes a session: `Starved STATE`.
final class Starved {
    private static final int ROOM = 8;

    private Starved() {}

    public static void main(String[] args) throws Exception {
        loadAll();
        try (Sessions sessions = Sessions.builder(LinuxHost.at(Path.of("/")))
                .state(Path.of(args[0]))
                .limits(Limits.DEFAULT.closeGrace(Duration.ofMillis(100)))
                .environment(Environment.basic(System.getenv()))
                .build()) {
            Session session = sessions.open(SessionSpec.of(
                    "/bin/sh", "-c",
                    "trap '' HUP TERM; (setsid sleep 1000 &); echo up; while true; do sleep 1000; done"));
            session.cursor().await(Until.match("up"), Duration.ofSeconds(60));
            System.out.println("descriptors taken: " + starve());
            System.out.println("killed: " + session.close(false).killed());
        }
        System.out.println("closed");
    }

    /// Loads all of Belay's classes now: loading one from a folder takes a descriptor.
    private static void loadAll() throws IOException, URISyntaxException, ClassNotFoundException {
        for (Class<?> one : List.of(Sessions.class, LinuxHost.class)) {
            Path root = Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (!Files.isDirectory(root)) {
                continue;
            }
            try (Stream<Path> files = Files.walk(root.resolve("dev"))) {
                for (Path file : files.filter(file -> file.toString().endsWith(".class")).toList()) {
                    String name = root.relativize(file).toString();
                    Class.forName(name.replace(".class", "").replace('/', '.'));
                }
            }
        }
    }

    /// Lowers the limit to little more than what is open and uses up the rest.
    private static int starve() throws IOException {
        try (Arena arena = Arena.ofConfined(); Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            Libc libc = new Libc(arena);
            long most = open.mapToLong(link -> Long.parseLong(link.getFileName().toString())).max().orElseThrow();
            MemorySegment limit = arena.allocate(ValueLayout.JAVA_LONG, 2);
            libc.prlimit(0, Abi.RLIMIT_NOFILE, MemorySegment.NULL, limit);
            limit.set(ValueLayout.JAVA_LONG, 0, most + ROOM);
            libc.prlimit(0, Abi.RLIMIT_NOFILE, limit, MemorySegment.NULL);
            int taken = 0;
            while (libc.open(arena.allocateFrom("/dev/null"), Abi.O_RDONLY) >= 0) {
                taken++;
            }
            return taken;
        }
    }
}
