package dev.belay;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// Which network a sandbox has.
public sealed interface Network {
    /// No network, only a loopback of its own.
    record Off() implements Network {}

    /// The network of the machine.
    record On() implements Network {}

    /// Some hosts, through a proxy. What does not use it has no network.
    ///
    /// @param names `github.com`, `*.npmjs.org` for all below a name, `[::1]` or `10.0.0.7` for an address, each with
    ///              `:PORT` if only that port is meant
    record Hosts(List<String> names) implements Network {
        private static final Pattern NAME =
                Pattern.compile("(\\*\\.)?[a-z0-9_-]+(\\.[a-z0-9_-]+)*(:[0-9]{1,5})?|\\[[0-9a-f:.]+](:[0-9]{1,5})?");

        public Hosts {
            names = names.stream().map(name -> name.toLowerCase(Locale.ROOT)).distinct().toList();
            if (names.isEmpty()) {
                throw SessionException.invalid("The list of hosts is empty; use network \"off\" for no network.");
            }
            for (String name : names) {
                if (!NAME.matcher(name).matches()) {
                    throw SessionException.invalid("The host " + Quoted.of(name)
                            + " is not a name such as github.com, *.npmjs.org or registry.example:443.");
                }
            }
        }

        /// Whether a connection is listed.
        ///
        /// @param host a name, or an address as it was written, without brackets
        public boolean allows(String host, int port) {
            String wanted = plain(host.toLowerCase(Locale.ROOT));
            return names.stream().anyMatch(name -> fits(name, wanted, port));
        }

        private static boolean fits(String listed, String host, int port) {
            int colon = listed.endsWith("]") ? -1 : listed.lastIndexOf(':');
            String name = colon < 0 ? listed : listed.substring(0, colon);
            boolean portFits = colon < 0 || listed.substring(colon + 1).equals(Integer.toString(port));
            String bare = name.startsWith("[") ? plain(name.substring(1, name.length() - 1)) : name;
            return portFits
                    && (bare.startsWith("*.") ? host.endsWith(bare.substring(1)) : host.equals(bare));
        }

        /// One spelling for the many that an IPv6 address has.
        private static String plain(String host) {
            try {
                return host.contains(":") ? InetAddress.ofLiteral(host).getHostAddress() : host;
            } catch (IllegalArgumentException _) {
                // No address: it fits nothing but itself.
                return host;
            }
        }

        /// Those of these hosts that the others also allow.
        private List<String> within(Hosts most) {
            return names.stream().filter(most::covers).toList();
        }

        private boolean covers(String asked) {
            int colon = asked.endsWith("]") ? -1 : asked.lastIndexOf(':');
            String name = colon < 0 ? asked : asked.substring(0, colon);
            return names.contains(asked) || names.contains(name)
                    || names.stream().filter(own -> own.startsWith("*."))
                            .anyMatch(own -> own.contains(":")
                                    ? colon >= 0 && allows(name, Integer.parseInt(asked.substring(colon + 1)))
                                    : name.endsWith(own.substring(1)));
        }
    }

    /// The stricter of the two: a host has to be allowed by both.
    default Network within(Network most) {
        if (this instanceof Off || most instanceof On) {
            return this;
        }
        if (most instanceof Off || this instanceof On) {
            return most;
        }
        List<String> both = ((Hosts) this).within((Hosts) most);
        return both.isEmpty() ? new Off() : new Hosts(both);
    }

    /// `off`, `on` or `hosts`.
    default String label() {
        return switch (this) {
            case Off _ -> "off";
            case On _ -> "on";
            case Hosts _ -> "hosts";
        };
    }
}
