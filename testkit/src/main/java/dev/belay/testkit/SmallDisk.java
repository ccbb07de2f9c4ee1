package dev.belay.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

/// A disk that fills up: a tmpfs of 256 KiB for root; for others, who may not mount, a folder without write permission.
interface SmallDisk extends AutoCloseable {
    /// A state folder on the disk.
    Path folder();

    /// Fills the disk. Called once the state folder is in use.
    void fill() throws IOException;

    /// Makes room on the disk.
    void makeRoom() throws IOException;

    @Override
    void close() throws IOException;

    static SmallDisk make(Path folder) throws IOException {
        Files.createDirectories(folder);
        boolean root = Files.readString(Path.of("/proc/self/status")).contains("Uid:\t0\t0");
        return root ? tmpfs(folder) : closedFolder(folder);
    }

    private static SmallDisk tmpfs(Path folder) throws IOException {
        run(List.of("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder.toString()));
        return new SmallDisk() {
            @Override
            public Path folder() {
                return folder.resolve("state");
            }

            @Override
            public void fill() {
                // The session's output fills it.
            }

            @Override
            public void makeRoom() throws IOException {
                run(List.of("mount", "-o", "remount,size=16m", folder.toString()));
            }

            @Override
            public void close() throws IOException {
                run(List.of("umount", folder.toString()));
            }
        };
    }

    private static SmallDisk closedFolder(Path folder) {
        return new SmallDisk() {
            @Override
            public Path folder() {
                return folder.resolve("state");
            }

            @Override
            public void fill() throws IOException {
                setMode("r-x------");
            }

            @Override
            public void makeRoom() throws IOException {
                setMode("rwx------");
            }

            private void setMode(String mode) throws IOException {
                try (Stream<Path> instances = Files.list(folder().resolve("sessions"))) {
                    for (Path instance : instances.filter(Files::isDirectory).toList()) {
                        Files.setPosixFilePermissions(instance, PosixFilePermissions.fromString(mode));
                    }
                }
            }

            @Override
            public void close() {}
        };
    }

    private static void run(List<String> command) throws IOException {
        try {
            Process process = new ProcessBuilder(command).inheritIO().start();
            if (process.waitFor() != 0) {
                throw new IOException(command + " failed with " + process.exitValue());
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
