package dev.belay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The answers that apply to a workspace: a text file in the state folder, one line each, which people can read and
/// edit. Several Belays may share it; each line names its workspace.
///
/// Lines: `WORKSPACE allow|deny exact|prefix owner=NAME folder=PATH variables=DIGEST PROGRAM WORD...`, with what is not
/// a plain character encoded as in URLs. Later lines win. Lines without an owner stay in the file but count for nobody.
final class AnswerFile {
    static final String NAME = "approvals.txt";

    private final Path file;
    private final String workspace;
    /// The file as it was read last. Guarded by the monitor, like the answers.
    private long readAt = -1;
    private long readSize = -1;
    private List<Remembered> answers = List.of();

    AnswerFile(Path state, Path workspace) {
        this.file = state.resolve(NAME);
        this.workspace = Remembered.encoded(workspace.toString());
    }

    /// The latest answer that applies to a program. A file that cannot be read has none.
    ///
    /// @param owner the owner of the session that starts it
    synchronized Optional<Remembered> find(String owner, Execution execution) {
        read();
        return answers.stream().filter(answer -> answer.fits(owner, execution)).findFirst();
    }

    private void read() {
        try {
            long at = Files.getLastModifiedTime(file).toMillis();
            long size = Files.size(file);
            if (at == readAt && size == readSize) {
                return;
            }
            List<Remembered> found = new ArrayList<>();
            for (String line : Files.readAllLines(file)) {
                if (line.startsWith(workspace + " ")) {
                    Remembered.parse(line.substring(workspace.length() + 1)).ifPresent(found::addFirst);
                }
            }
            answers = found;
            readAt = at;
            readSize = size;
        } catch (NoSuchFileException _) {
            answers = List.of();
        } catch (IOException e) {
            answers = List.of();
            Log.LOG.log(System.Logger.Level.WARNING, "cannot read " + file + "; ignoring its answers", e);
        }
    }

    /// Adds an answer. Throws if it cannot be written.
    synchronized void add(Remembered answer) {
        try {
            if (!Files.exists(file)) {
                Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(
                        "rw-------")));
            }
            Files.write(file, List.of(workspace + " " + answer.line()), Set.of(
                    StandardOpenOption.APPEND, StandardOpenOption.DSYNC).toArray(StandardOpenOption[]::new));
            readAt = -1;
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE,
                    "The answer cannot be kept for the workspace: " + e + ". Answer with scope session or once.",
                    Map.of(), e);
        }
    }
}
