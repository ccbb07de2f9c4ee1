package dev.belay.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/// Hosts whose sandboxes work in tests, as root and as an ordinary user.
final class Sandboxes {
    /// The user of sandboxes if the tests run as root.
    static final int NOBODY = 65_534;

    private Sandboxes() {}

    static boolean root() {
        return ProcessHandle.current().info().user().filter("root"::equals).isPresent();
    }

    /// Lets files that the tests make be used by the user of the sandboxes, if that is another.
    ///
    /// @return what to give to [#restore] afterwards
    static int openFilesToAll() {
        return root() ? umask(0) : -1;
    }

    static void restore(int mask) {
        if (mask >= 0) {
            umask(mask);
        }
    }

    private static int umask(int mask) {
        try (Arena arena = Arena.ofConfined()) {
            return (int) new Libc(arena).call(Libc.find("umask"), mask, 0, 0, 0, 0, 0, 0);
        }
    }

    /// The JVM keeps a descriptor from the first socket on. So that it counts for no test: a proxy has a socket.
    static void firstSocket() throws IOException {
        ServerSocketChannel.open(StandardProtocolFamily.UNIX).close();
    }

    /// A host for a workspace that the user of its sandboxes can reach and write.
    static LinuxHost host(Path workspace) {
        return host(workspace, Rooms.BUBBLEWRAP);
    }

    /// The same, by one mechanism or several.
    static LinuxHost host(Path workspace, String... by) {
        LinuxHost host = LinuxHost.at(workspace).sandboxedBy(List.of(by));
        if (!root()) {
            return host;
        }
        try {
            Files.setAttribute(workspace, "unix:uid", NOBODY);
            Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
            for (Path above = workspace; above != null && !above.equals(temporary); above = above.getParent()) {
                Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return host.runAs(Integer.toString(NOBODY));
    }
}
