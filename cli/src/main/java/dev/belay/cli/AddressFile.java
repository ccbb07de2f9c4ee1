package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.PrivateFolder;
import dev.belay.SessionException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// The address of the server that uses a state folder: the file `address` in it. It exists while the server listens; a
/// killed server leaves it behind. If several servers share the folder, it names the one started last.
record AddressFile(Path state) {
    private static final String NAME = "address";
    private static final int MAX_BYTES = 1024;

    /// @param address such as `http://127.0.0.1:10000/`
    void write(String address) throws IOException {
        try (PrivateFolder folder = PrivateFolder.make(state)) {
            folder.replace(NAME, reachable(address) + "\n");
        }
    }

    /// Deletes the file, unless another server has written its own address.
    void delete(String address) throws IOException {
        try (PrivateFolder folder = PrivateFolder.open(state)) {
            if (read(folder).filter(reachable(address)::equals).isPresent()) {
                folder.delete(NAME);
            }
        }
    }

    Optional<String> known() {
        try (PrivateFolder folder = PrivateFolder.open(state)) {
            return read(folder);
        } catch (NoSuchFileException _) {
            return Optional.empty();
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE,
                    "Cannot read the state folder " + state + " (" + e.getMessage() + ").",
                    Map.of(),
                    e);
        }
    }

    private static Optional<String> read(PrivateFolder folder) throws IOException {
        return folder.read(NAME, MAX_BYTES).map(String::strip).filter(text -> !text.isEmpty());
    }

    /// The address for clients on this machine: loopback, if the server listens on all addresses.
    private static String reachable(String address) throws IOException {
        URI uri = URI.create(address);
        InetAddress host = InetAddress.getByName(uri.getHost());
        if (!host.isAnyLocalAddress()) {
            return address;
        }
        String loopback = host.getAddress().length == 4 ? "127.0.0.1" : "[::1]";
        return uri.getScheme() + "://" + loopback + ":" + uri.getPort() + "/";
    }
}
