package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.PrivateFolder;
import dev.belay.SessionException;
import dev.belay.server.settings.TokenHash;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// The admin's token: the file `token` in the state folder. Only its owner can read it. A file that another user could
/// have written is refused.
record TokenFile(Path state) {
    private static final String NAME = "token";
    private static final int MAX_BYTES = 512;
    private static final int LEAST_CHARS = 20;

    Path path() {
        return state.resolve(NAME);
    }

    /// The existing token, or a new one.
    String token() {
        try (PrivateFolder folder = PrivateFolder.make(state)) {
            Optional<String> found = read(folder);
            if (found.isPresent() && found.get().isEmpty()) {
                // An older Belay left it when the disk was full. Nobody can sign in with it.
                folder.delete(NAME);
            }
            if (found.isEmpty() || found.get().isEmpty()) {
                folder.add(NAME, TokenHash.newToken() + "\n");
                // Another server may have been faster.
                found = read(folder);
            }
            return require(found.orElse(""));
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    /// The existing token, for a client; empty if no server was ever started with this state folder.
    Optional<String> known() {
        try (PrivateFolder folder = PrivateFolder.open(state)) {
            return read(folder).map(this::require);
        } catch (NoSuchFileException _) {
            return Optional.empty();
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    private static Optional<String> read(PrivateFolder folder) throws IOException {
        return folder.read(NAME, MAX_BYTES).map(String::strip);
    }

    private String require(String token) {
        if (token.length() < LEAST_CHARS) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE,
                    "The token in " + path() + " is too short; delete the file and start 'belay serve' for a new one.");
        }
        return token;
    }

    private SessionException unusable(IOException e) {
        return new SessionException(
                ErrorCode.UNAVAILABLE,
                "The token file " + path() + " cannot be used (" + e.getMessage()
                        + "); free space on the disk, or choose another state folder.",
                Map.of(),
                e);
    }
}
