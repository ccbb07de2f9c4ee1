import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ProxySelector;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// Bundles the console without node: `java Build.java PACKAGES required|optional`, run in the folder `console`.
///
/// It fetches the packages that `package-lock.json` names from npm's registry, keeps them in the folder PACKAGES,
/// compares their SHA-512 and runs esbuild's own binary. Offline from then on. If a package cannot be fetched it writes a
/// page that says so, unless the console is required. It is written for Java 17, the oldest that may run Maven.
public final class Build {
    private static final Path SOURCES = Path.of("src/main/web");
    private static final Path CLIENT = Path.of("../client");
    private static final Path STAGE = Path.of("target/stage");
    private static final Path MODULES = STAGE.resolve("node_modules");
    private static final Path BUNDLE = STAGE.resolve("bundle");
    private static final Path WEB = Path.of("target/classes/dev/belay/console/web");
    private static final Path MISSING = Path.of("target/missing");

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml",
            "woff2", "font/woff2");

    /// What xterm.js does that the page's policy forbids, and what stands in its place: text, how often, replacement.
    private record Change(String text, int times, String replacement) {}

    private static final List<Change> CHANGES = List.of(
            new Change("createElement(\"style\")", 3, "createElement(\"style-sheet\")"),
            new Change(
                    "t.setAttribute(\"style\",`${t.getAttribute(\"style\")||\"\"}${e};`)", 1,
                    "t.style.cssText+=`${e};`"));

    public static void main(String[] args) throws Exception {
        boolean required = args[1].equals("required");
        String state = fingerprint();
        Path stamp = Path.of("target/console.stamp");
        if (Files.exists(stamp) && Files.readString(stamp).equals(state) && Files.exists(WEB.resolve("files"))) {
            return;
        }
        Files.createDirectories(STAGE);
        delete(WEB);
        try {
            unpack(new Registry(Path.of(args[0])));
            bundle();
            publish();
            Files.deleteIfExists(MISSING);
            Files.writeString(stamp, state);
        } catch (Registry.Unreachable e) {
            if (required) {
                throw e;
            }
            System.err.println("console: not built: " + e.getMessage());
            Files.writeString(MISSING, e.getMessage());
            explain(e.getMessage());
        }
    }

    /// A hash of everything that the bundle is made of.
    private static String fingerprint() throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        List<Path> files = new ArrayList<>(List.of(
                Path.of("Build.java"), Path.of("package-lock.json"), CLIENT.resolve("belay-client.js")));
        try (Stream<Path> sources = Files.walk(SOURCES)) {
            sources.filter(Files::isRegularFile).sorted().forEach(files::add);
        }
        for (Path file : files) {
            digest.update(file.toString().getBytes(StandardCharsets.UTF_8));
            digest.update(Files.readAllBytes(file));
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    // --- packages ---

    private static void unpack(Registry registry) throws Exception {
        String lock = Files.readString(Path.of("package-lock.json"));
        Path stamp = STAGE.resolve("unpacked");
        if (Files.exists(stamp) && Files.readString(stamp).equals(lock)) {
            return;
        }
        delete(MODULES);
        String processor = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x64";
        Map<?, ?> packages = (Map<?, ?>) ((Map<?, ?>) Json.parse(lock)).get("packages");
        for (Map.Entry<?, ?> entry : new TreeMap<>(packages).entrySet()) {
            String path = (String) entry.getKey();
            Map<?, ?> facts = (Map<?, ?>) entry.getValue();
            if (path.isEmpty() || facts.containsKey("dev") || !fits(facts, "os", "linux")
                    || !fits(facts, "cpu", processor) || path.contains("node_modules/ws")
                    || path.contains("node_modules/xmlhttprequest-ssl")) { // these two are for node only
                continue;
            }
            String name = path.substring(path.lastIndexOf("node_modules/") + "node_modules/".length());
            byte[] tarball = registry.tarball(name, (String) facts.get("version"), (String) facts.get("integrity"));
            untar(tarball, STAGE.resolve(path));
        }
        patch(MODULES.resolve("@xterm/xterm/lib/xterm.mjs"));
        Files.writeString(stamp, lock);
    }

    private static boolean fits(Map<?, ?> facts, String key, String value) {
        return !(facts.get(key) instanceof List<?> values) || values.contains(value);
    }

    private static void untar(byte[] tarball, Path folder) throws IOException {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(tarball))) {
            String longName = null;
            for (byte[] head = in.readNBytes(512); head.length == 512 && head[0] != 0; head = in.readNBytes(512)) {
                int size = Integer.parseInt(text(head, 124, 12).strip(), 8);
                byte[] body = in.readNBytes(size);
                in.skipNBytes((512 - size % 512) % 512);
                String prefix = text(head, 345, 155);
                String name = longName != null ? longName : (prefix.isEmpty() ? "" : prefix + "/") + text(head, 0, 100);
                longName = null;
                if (head[156] == 'x') {
                    longName = new String(body, StandardCharsets.UTF_8).lines()
                            .filter(line -> line.contains(" path=")).findFirst()
                            .map(line -> line.substring(line.indexOf(" path=") + 6)).orElse(null);
                } else if (head[156] == '0' || head[156] == 0) {
                    Path file = folder.resolve(name.substring(name.indexOf('/') + 1)).normalize();
                    if (!file.startsWith(folder)) {
                        throw new IOException(name + " leads out of its package");
                    }
                    Files.createDirectories(file.getParent());
                    Files.write(file, body);
                }
            }
        }
    }

    private static String text(byte[] head, int from, int most) {
        int to = from;
        while (to < from + most && head[to] != 0) {
            to++;
        }
        return new String(head, from, to - from, StandardCharsets.UTF_8);
    }

    private static void patch(Path library) throws IOException {
        String text = Files.readString(library);
        for (Change change : CHANGES) {
            int times = text.split(java.util.regex.Pattern.quote(change.text()), -1).length - 1;
            if (times != change.times()) {
                throw new IOException(library + " has " + times + " times, not " + change.times() + ": " + change.text());
            }
            text = text.replace(change.text(), change.replacement());
        }
        Files.writeString(library, text);
    }

    // --- bundle ---

    private static void bundle() throws Exception {
        delete(BUNDLE);
        delete(STAGE.resolve("web"));
        copy(SOURCES, STAGE.resolve("web"));
        Path client = Files.createDirectories(MODULES.resolve("belay-client"));
        for (String file : List.of("belay-client.js", "package.json")) {
            Files.copy(CLIENT.resolve(file), client.resolve(file), StandardCopyOption.REPLACE_EXISTING);
        }
        try (Stream<Path> binaries = Files.list(MODULES.resolve("@esbuild"))) {
            Path binary = binaries.findFirst().orElseThrow().resolve("bin/esbuild").toAbsolutePath();
            binary.toFile().setExecutable(true);
            Process process = new ProcessBuilder(binary.toString(), "web/main.tsx", "--bundle", "--splitting",
                    "--format=esm", "--minify", "--target=chrome120,firefox121,safari17", "--jsx=automatic",
                    "--jsx-import-source=preact", "--loader:.woff2=file", "--outdir=bundle", "--public-path=/assets",
                    "--entry-names=[name]-[hash]", "--chunk-names=[name]-[hash]", "--asset-names=[name]-[hash]",
                    "--legal-comments=none", "--log-level=warning")
                    .directory(STAGE.toFile()).inheritIO().start();
            if (process.waitFor() != 0) {
                throw new IOException("esbuild failed");
            }
        }
    }

    /// Puts the files where the class `Console` finds them: each also compressed, and a list with type and tag.
    private static void publish() throws Exception {
        Map<String, byte[]> files = new TreeMap<>();
        String index = Files.readString(SOURCES.resolve("index.html"));
        try (Stream<Path> built = Files.list(BUNDLE)) {
            for (Path file : built.sorted().toList()) {
                String name = file.getFileName().toString();
                files.put("/assets/" + name, Files.readAllBytes(file));
                if (name.matches("main-[A-Z0-9]+\\.(js|css)|inter-[^.]+\\.woff2")) {
                    index = index.replace("%" + name.replaceAll("-.*\\.", ".") + "%", "/assets/" + name);
                }
            }
        }
        files.put("/icon.svg", Files.readAllBytes(SOURCES.resolve("icon.svg")));
        files.put("/", index.getBytes(StandardCharsets.UTF_8));
        write(files);
    }

    private static void explain(String reason) throws Exception {
        String page = Files.readString(SOURCES.resolve("missing.html")).replace(
                "%reason%", reason.replace("&", "&amp;").replace("<", "&lt;"));
        write(new TreeMap<>(Map.of(
                "/", page.getBytes(StandardCharsets.UTF_8),
                "/icon.svg", Files.readAllBytes(SOURCES.resolve("icon.svg")),
                "/assets/missing.css", Files.readAllBytes(SOURCES.resolve("missing.css")))));
    }

    private static void write(Map<String, byte[]> files) throws Exception {
        Files.createDirectories(WEB);
        StringBuilder list = new StringBuilder();
        int number = 0;
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            String path = file.getKey().equals("/") ? "index.html" : file.getKey();
            String type = TYPES.get(path.substring(path.lastIndexOf('.') + 1));
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(file.getValue());
            String tag = Base64.getUrlEncoder().withoutPadding().encodeToString(hash).substring(0, 22);
            Files.write(WEB.resolve(number + ".bin"), file.getValue());
            if (!path.endsWith(".woff2")) { // compressed already
                Files.write(WEB.resolve(number + ".gz"), gzip(file.getValue()));
            }
            list.append(number++).append('\t').append(file.getKey()).append('\t').append(type).append('\t').append(tag)
                    .append('\n');
        }
        Files.writeString(WEB.resolve("files"), list);
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(packed) {
            {
                def.setLevel(Deflater.BEST_COMPRESSION);
            }
        }) {
            out.write(bytes);
        }
        return packed.toByteArray();
    }

    // --- folders ---

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path file : all.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path file : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    // --- registry ---

    /// npm's registry, as npm itself is set up on this machine, behind a folder of tarballs.
    private static final class Registry {
        /// A package is neither kept nor to be fetched.
        static final class Unreachable extends IOException {
            Unreachable(String message, Throwable cause) {
                super(message, cause);
            }
        }

        private final Path kept;
        private HttpClient http;

        Registry(Path kept) {
            this.kept = kept;
        }

        byte[] tarball(String name, String version, String integrity) throws Exception {
            Path file = kept.resolve(name.replace("/", "+") + "-" + version + ".tgz");
            if (Files.exists(file)) {
                byte[] bytes = Files.readAllBytes(file);
                if (integrity(bytes).equals(integrity)) {
                    return bytes;
                }
                Files.delete(file);
            }
            byte[] bytes = fetch(name + "/-/" + name.substring(name.indexOf('/') + 1) + "-" + version + ".tgz");
            if (!integrity(bytes).equals(integrity)) {
                throw new IOException(name + " " + version + " is not the package that package-lock.json names");
            }
            Files.createDirectories(kept);
            Path part = Files.createTempFile(kept, "part", ".tgz");
            Files.write(part, bytes);
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            return bytes;
        }

        private static String integrity(byte[] bytes) throws Exception {
            return "sha512-" + Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-512").digest(bytes));
        }

        private byte[] fetch(String path) throws Exception {
            String registry = setting("registry");
            if (registry == null) {
                throw new Unreachable(
                        "npm is not installed and npm_config_registry is not set, so " + path + " cannot be fetched", null);
            }
            try {
                HttpRequest request = HttpRequest.newBuilder(URI.create(registry.replaceAll("/+$", "") + "/" + path))
                        .timeout(Duration.ofSeconds(60)).build();
                HttpResponse<byte[]> answer = http().send(request, HttpResponse.BodyHandlers.ofByteArray());
                if (answer.statusCode() != 200) {
                    throw new Unreachable("the npm registry answered " + answer.statusCode() + " for " + path, null);
                }
                return answer.body();
            } catch (Unreachable e) {
                throw e;
            } catch (IOException e) {
                throw new Unreachable("the npm registry is out of reach (" + path + ")", e);
            }
        }

        private HttpClient http() throws Exception {
            if (http == null) {
                HttpClient.Builder builder = HttpClient.newBuilder()
                        .connectTimeout(Duration.ofSeconds(10)).followRedirects(HttpClient.Redirect.NORMAL);
                String proxy = first(System.getenv("https_proxy"), System.getenv("HTTPS_PROXY"));
                if (proxy != null) {
                    URI at = URI.create(proxy.contains("://") ? proxy : "http://" + proxy);
                    builder.proxy(ProxySelector.of(new InetSocketAddress(at.getHost(), at.getPort())));
                }
                String authorities = first(setting("cafile"), System.getenv("NODE_EXTRA_CA_CERTS"));
                if (authorities != null && Files.isReadable(Path.of(authorities))) {
                    builder.sslContext(trusting(Path.of(authorities)));
                }
                http = builder.build();
            }
            return http;
        }

        private static SSLContext trusting(Path authorities) throws Exception {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null);
            try (InputStream in = Files.newInputStream(authorities)) {
                int number = 0;
                for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                    store.setCertificateEntry("authority-" + number++, one);
                }
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        }

        /// A setting of npm: from the environment, its files, or npm itself.
        private static String setting(String key) throws Exception {
            String given = first(System.getenv("npm_config_" + key), System.getenv("NPM_CONFIG_" + key.toUpperCase()));
            for (String file : List.of(System.getProperty("user.home") + "/.npmrc", "/etc/npmrc", "/usr/etc/npmrc",
                    "/usr/local/etc/npmrc")) {
                if (given == null && Files.isReadable(Path.of(file))) {
                    given = Files.readAllLines(Path.of(file)).stream().filter(line -> line.matches(key + "\\s*=.*"))
                            .map(line -> line.substring(line.indexOf('=') + 1).strip()).findFirst().orElse(null);
                }
            }
            return given != null || !key.equals("registry") ? given : registryOfNpm();
        }

        private static String registryOfNpm() throws Exception {
            try {
                Process npm = new ProcessBuilder("npm", "config", "get", "registry")
                        .redirectError(ProcessBuilder.Redirect.DISCARD).start();
                String said = new String(npm.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
                return npm.waitFor() == 0 && said.startsWith("http") ? said : null;
            } catch (IOException e) {
                return null; // npm is not installed
            }
        }

        private static String first(String one, String other) {
            return one != null && !one.isEmpty() ? one : other != null && !other.isEmpty() ? other : null;
        }
    }

    // --- JSON ---

    /// Reads JSON into maps, lists, strings, doubles, booleans and null.
    private static final class Json {
        private final String text;
        private int at;

        private Json(String text) {
            this.text = text;
        }

        static Object parse(String text) {
            return new Json(text).value();
        }

        private char next() {
            while (Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            return text.charAt(at);
        }

        private Object value() {
            switch (next()) {
                case '{':
                    Map<String, Object> map = new LinkedHashMap<>();
                    for (at++; next() != '}'; at += next() == ',' ? 1 : 0) {
                        String key = string();
                        next();
                        at++;
                        map.put(key, value());
                    }
                    at++;
                    return map;
                case '[':
                    List<Object> list = new ArrayList<>();
                    for (at++; next() != ']'; at += next() == ',' ? 1 : 0) {
                        list.add(value());
                    }
                    at++;
                    return list;
                case '"':
                    return string();
                default:
                    int from = at;
                    while (at < text.length() && ",]}\n\r\t ".indexOf(text.charAt(at)) < 0) {
                        at++;
                    }
                    String word = text.substring(from, at);
                    return word.equals("null") ? null
                            : word.equals("true") || word.equals("false") ? Boolean.valueOf(word) : Double.valueOf(word);
            }
        }

        private String string() {
            StringBuilder out = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                char c = text.charAt(at);
                if (c == '\\') {
                    c = text.charAt(++at);
                    if (c == 'u') {
                        c = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                        at += 4;
                    } else {
                        int known = "bfnrt".indexOf(c);
                        c = known < 0 ? c : "\b\f\n\r\t".charAt(known);
                    }
                }
                out.append(c);
            }
            at++;
            return out.toString();
        }
    }

    private Build() {}
}
