package dev.belay.linux;

import dev.belay.Execution;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// The variables that make a program do something else than its words say: load code, run other programs, reach other
/// hosts, read other settings.
///
/// @param own   the variables that the session began with
/// @param asked the variables that it was opened with, before a sandbox set its own
record SteeringVariables(Map<String, String> own, Map<String, String> asked) {
    private static final Set<String> NAMES = Set.of("PATH", "HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS",
            "ENV", "BASH_ENV", "BASHOPTS", "SHELLOPTS", "PROMPT_COMMAND", "PS4", "IFS", "GCONV_PATH", "GLIBC_TUNABLES",
            "NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "PERLLIB",
            "CLASSPATH", "JAVA_HOME", "JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS",
            "MAVEN_ARGS", "MAVEN_OPTS", "GRADLE_OPTS", "MAKEFILES",
            "MAKEFLAGS", "GNUMAKEFLAGS", "TAR_OPTIONS", "GOPROXY", "ZDOTDIR", "RSYNC_RSH", "CC", "CXX", "GOFLAGS",
            "CARGO_HOME", "RUSTFLAGS",
            "RUSTC_WRAPPER", "EDITOR", "VISUAL", "PAGER", "MANPAGER", "BROWSER", "LESSOPEN", "LESSCLOSE",
            "SSH_ASKPASS", "SUDO_ASKPASS", "DOCKER_HOST", "KUBECONFIG", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_HOME",
            "CURL_CA_BUNDLE", "OPENSSL_CONF");
    private static final List<String> PREFIXES =
            List.of("GIT_", "LD_", "PYTHON", "PERL5", "RUBY", "BASH_FUNC_", "PIP_", "UV_", "YARN_", "DOTNET_");
    /// npm reads these in any case.
    private static final String NPM = "NPM_CONFIG_";
    private static final List<String> SUFFIXES = List.of("_PROXY", "_EDITOR", "_PAGER");

    static boolean steers(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        return NAMES.contains(name)
                || PREFIXES.stream().anyMatch(name::startsWith)
                || SUFFIXES.stream().anyMatch(upper::endsWith)
                || upper.startsWith(NPM);
    }

    /// What steers a program.
    ///
    /// @param given the variables that it is given, as `NAME=VALUE`
    Execution.Variables of(List<String> given) {
        List<String> all = new ArrayList<>();
        Set<String> same = new TreeSet<>();
        Set<String> changed = new TreeSet<>();
        for (String one : given) {
            int equals = one.indexOf('=');
            String name = equals < 0 ? one : one.substring(0, equals);
            if (!steers(name)) {
                continue;
            }
            if (equals < 0 || !one.substring(equals + 1).equals(own.get(name))) {
                changed.add(name);
                all.add(one);
            } else {
                same.add(name);
                // What a sandbox sets differs from session to session; what it was opened with says whether two differ.
                String opened = asked.get(name);
                if (opened != null) {
                    all.add(name + "=" + opened);
                }
            }
        }
        own.keySet().stream().filter(name -> steers(name) && !same.contains(name)).forEach(changed::add);
        return Execution.Variables.of(all, List.copyOf(changed));
    }
}
