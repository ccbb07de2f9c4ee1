package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.server.auth.TokenHash;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;

/// The admin's token: the file `token` in the state folder, which its owner alone may read. Made when it is not there.
record TokenFile(Path path) {
    static TokenFile in(Path state) {
        return new TokenFile(state.resolve("token"));
    }

    /// The token that is there, or a new one.
    String token() {
        try {
            make();
            Set<PosixFilePermission> open = Files.getPosixFilePermissions(path);
            if (!open.equals(PosixFilePermissions.fromString("rw-------"))) {
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            }
            String token = Files.readString(path).strip();
            if (token.length() < 20) {
                throw new SessionException(
                        ErrorCode.UNAVAILABLE,
                        "The token in " + path + " is too short; delete the file for a new one.");
            }
            return token;
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE, "The token " + path + " cannot be used: " + e, Map.of(), e);
        }
    }

    private void make() throws IOException {
        Path folder = path.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        try (var file = Files.newByteChannel(
                path,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            file.write(java.nio.ByteBuffer.wrap(
                    (TokenHash.newToken() + "\n").getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
        } catch (FileAlreadyExistsException _) {
            // The usual case.
        }
    }
}
