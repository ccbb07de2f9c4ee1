package dev.belay.linux;

import dev.belay.Network;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What programs in a sandbox find of its [HostsProxy]: a port on loopback, the settings by which common programs use
/// it, and forwards for those that know no proxies.
///
/// A listed `NAME:PORT` is forwarded if an ordinary user may listen on that port: inside, the name has an address on
/// loopback. So is a listed address on loopback. A forward asks the proxy, as everybody does.
final class HostsInside {
    static final String SOCAT = "/usr/bin/socat";

    private static final String FOLDER = "/run/belay";
    private static final String SOCKET = "proxy";
    private static final String NAMES = "hosts";
    private static final String SSH = "ssh_config";
    private static final Path OUTSIDE_NAMES = Path.of("/etc/hosts");
    private static final Path OUTSIDE_SSH = Path.of("/etc/ssh/ssh_config");
    private static final String FETCH = "fetch.cjs";

    private static final String ADDRESS = "127.0.0.1";
    private static final int PORT = 3128;
    private static final String URL = "http://" + ADDRESS + ":" + PORT;
    private static final int FIRST_ORDINARY_PORT = 1024;
    private static final Pattern EXACT = Pattern.compile("([a-z0-9_-]+(?:\\.[a-z0-9_-]+)*):([0-9]{4,5})");
    private static final Pattern ANY_ADDRESS = Pattern.compile("[0-9.]+");
    private static final Pattern LOOPBACK = Pattern.compile("127(\\.[0-9]{1,3}){3}");
    /// Inside, they are the sandbox itself, unless they are listed without a port.
    private static final List<String> ITSELF = List.of("localhost", ADDRESS, "::1");

    private final Network.Hosts hosts;
    /// The address inside of each name that is forwarded.
    private final Map<String, String> names = new LinkedHashMap<>();
    private final Set<Forward> forwards = new LinkedHashSet<>();

    private record Forward(String at, String host, int port) {}

    HostsInside(Network.Hosts hosts) {
        this.hosts = hosts;
        for (String listed : hosts.names()) {
            Matcher exact = EXACT.matcher(listed);
            if (exact.matches()) {
                forward(exact.group(1), Integer.parseInt(exact.group(2)));
            }
        }
    }

    private void forward(String host, int port) {
        boolean elsewhere = ANY_ADDRESS.matcher(host).matches() && !LOOPBACK.matcher(host).matches();
        if (port >= FIRST_ORDINARY_PORT && port != PORT && !elsewhere && !host.equals("localhost")) {
            String at = LOOPBACK.matcher(host).matches()
                    ? host
                    : names.computeIfAbsent(host, _ -> "127.1." + names.size() / 250 + "." + (names.size() % 250 + 1));
            forwards.add(new Forward(at, host, port));
        }
    }

    /// Writes what programs inside read, next to the proxy's socket.
    void write(Path folder) throws IOException {
        try (InputStream fetch = HostsInside.class.getResourceAsStream(FETCH)) {
            write(folder.resolve(FETCH), Objects.requireNonNull(fetch).readAllBytes());
        }
        write(folder.resolve(SSH), ("Host *\n    ProxyCommand " + SOCAT + " - PROXY:" + ADDRESS + ":%h:%p,proxyport="
                + PORT + "\n").getBytes(StandardCharsets.US_ASCII));
        if (!names.isEmpty() && Files.isReadable(OUTSIDE_NAMES)) {
            StringBuilder known = new StringBuilder();
            names.forEach((name, address) -> known.append(address).append(' ').append(name).append('\n'));
            known.append(Files.readString(OUTSIDE_NAMES, StandardCharsets.ISO_8859_1));
            write(folder.resolve(NAMES), known.toString().getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    private static void write(Path file, byte[] content) throws IOException {
        Files.write(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }

    /// Options of bubblewrap that show this inside.
    List<String> mounts(Path folder) {
        List<String> all = new ArrayList<>(List.of("--ro-bind", folder.toString(), FOLDER));
        if (!names.isEmpty() && Files.isReadable(OUTSIDE_NAMES)) {
            instead(all, folder.resolve(NAMES), OUTSIDE_NAMES);
        }
        // That of the machine may include files that ssh refuses in a user namespace, where root is somebody else.
        instead(all, folder.resolve(SSH), OUTSIDE_SSH);
        return all;
    }

    private static void instead(List<String> all, Path file, Path replaced) {
        if (Files.exists(replaced)) {
            all.addAll(List.of("--ro-bind", file.toString(), replaced.toString()));
        }
    }

    /// How many times [#script] starts [#SOCAT].
    int bridges() {
        return 1 + forwards.size();
    }

    /// What the first shell inside does before the program starts.
    String script() {
        StringBuilder script = new StringBuilder(bridge(PORT, ADDRESS, "UNIX-CONNECT:" + FOLDER + "/" + SOCKET));
        for (Forward to : forwards) {
            script.append(bridge(to.port(), to.at(),
                    "PROXY:" + ADDRESS + ":" + to.host() + ":" + to.port() + ",proxyport=" + PORT));
        }
        return script.toString();
    }

    /// It says when it listens, and a part of the shell goes on reading what it says.
    private static String bridge(int port, String address, String to) {
        return "[ \"$(" + SOCAT + " -d -d -t 600 TCP-LISTEN:" + port + ",bind=" + address
                + ",backlog=128,fork,reuseaddr " + to
                + " 2>&1 >/dev/null </dev/null | while read -r said; do case $said in *listening*)"
                + " echo ready; exec >/dev/null ;; esac; done &)\" ] || exit 125; ";
    }

    /// Variables by which programs use the proxy.
    ///
    /// No `ALL_PROXY`: some libraries of Python fail if it names a proxy for SOCKS.
    ///
    /// @param env those that the session has
    Map<String, String> variables(Map<String, String> env) {
        Map<String, String> all = new HashMap<>();
        List<String> own = ITSELF.stream().filter(name -> !hosts.allows(name, 0)).toList();
        for (String scheme : List.of("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy")) {
            all.put(scheme, URL);
        }
        all.put("NO_PROXY", String.join(",", own));
        all.put("no_proxy", String.join(",", own));
        String java = "";
        for (String scheme : List.of("http", "https")) {
            java += " -D" + scheme + ".proxyHost=" + ADDRESS + " -D" + scheme + ".proxyPort=" + PORT;
        }
        if (own.size() < ITSELF.size()) {
            // To any other value Java adds all of loopback.
            java += " -Dhttp.nonProxyHosts=";
        }
        all.put("MAVEN_OPTS", added(env, "MAVEN_OPTS", java + " -Daether.connector.http.useSystemProperties=true"));
        all.put("GRADLE_OPTS", added(env, "GRADLE_OPTS", java));
        all.put("NODE_USE_ENV_PROXY", "1");
        all.put("NODE_OPTIONS", added(env, "NODE_OPTIONS", " --require=" + FOLDER + "/" + FETCH));
        return all;
    }

    private static String added(Map<String, String> env, String name, String more) {
        return (env.getOrDefault(name, "") + more).strip();
    }
}
