package dev.belay.linux;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Finds out whether processes listen on a TCP port: the kernel lists listening sockets by their inodes, and the
/// descriptors of a process name the inodes of its sockets. What may not be read counts as not listening.
final class ListeningPorts {
    private static final String LISTEN = "0A";
    private static final int STATE = 3;
    private static final int INODE = 9;

    private ListeningPorts() {}

    static boolean any(List<Proc> processes) {
        return processes.stream().filter(Proc::alive)
                .anyMatch(process -> listens(Path.of("/proc", "" + process.pid())));
    }

    private static boolean listens(Path process) {
        Set<String> listening = new HashSet<>();
        // Of the network that the process is in, which may be a sandbox's own.
        add(listening, process.resolve("net/tcp"));
        add(listening, process.resolve("net/tcp6"));
        return !listening.isEmpty() && holds(process.resolve("fd"), listening);
    }

    private static void add(Set<String> listening, Path table) {
        try {
            for (String line : Files.readAllLines(table)) {
                String[] columns = line.strip().split("\\s+", -1);
                if (columns.length > INODE && columns[STATE].equals(LISTEN)) {
                    listening.add("socket:[" + columns[INODE] + "]");
                }
            }
        } catch (IOException _) {
            // It has ended, or there is no such protocol here.
        }
    }

    private static boolean holds(Path descriptors, Set<String> sockets) {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(descriptors)) {
            for (Path one : all) {
                if (sockets.contains(Files.readSymbolicLink(one).toString())) {
                    return true;
                }
            }
        } catch (IOException | DirectoryIteratorException _) {
            // It has ended or closed the descriptor meanwhile, or belongs to another user.
        }
        return false;
    }
}
