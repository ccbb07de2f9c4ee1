package dev.belay.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// The files of the web console, by their paths. The list is fixed when the console is built: a path leads nowhere
/// else.
///
/// If the build could not get the packages it needs, `/` is a page that says so.
public final class Console {
    private static final String FOLDER = "/dev/belay/console/web/";

    private final Map<String, Asset> assets;

    private Console(Map<String, Asset> assets) {
        this.assets = assets;
    }

    /// A file of the console.
    ///
    /// @param type its media type
    /// @param bytes as they are
    /// @param gzip compressed; empty if that would not make them smaller
    /// @param tag changes with the bytes
    /// @param lasting its path changes with the bytes, so it may be kept for ever
    @SuppressWarnings("ArrayRecordComponent") // read by those who send them, as they are
    public record Asset(String type, byte[] bytes, Optional<byte[]> gzip, String tag, boolean lasting) {}

    /// Reads all files.
    public static Console load() {
        try {
            String list = new String(read("files").orElseThrow(
                    () -> new IOException("the console was not built")), StandardCharsets.UTF_8);
            Map<String, Asset> assets = new LinkedHashMap<>();
            for (String line : list.lines().toList()) {
                String[] fields = line.split("\t", -1);
                byte[] bytes = read(fields[0] + ".bin").orElseThrow(() -> new IOException(line + " is missing"));
                boolean lasting = fields[1].matches("/assets/.+-[A-Z0-9]{8}\\..+");
                assets.put(fields[1], new Asset(fields[2], bytes, read(fields[0] + ".gz"), fields[3], lasting));
            }
            return new Console(Map.copyOf(assets));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The file at a path: `/` is the page.
    public Optional<Asset> at(String path) {
        return Optional.ofNullable(assets.get(path));
    }

    private static Optional<byte[]> read(String name) throws IOException {
        try (InputStream in = Console.class.getResourceAsStream(FOLDER + name)) {
            return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
        }
    }
}
