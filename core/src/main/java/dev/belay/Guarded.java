package dev.belay;

import java.util.List;

/// The restrictions on a session, as its record shows them.
///
/// @param by         what enforces them: `kernel` for no new privileges alone, `bubblewrap` or `landlock` for a sandbox
/// @param files      `workspace`, `read-only`, or `all` without a sandbox
/// @param network    `off`, `on` or `hosts`
/// @param hosts      the hosts, if `network` is `hosts`
/// @param noNewPrivs whether setuid programs gain nothing
/// @param watched    whether each program that it starts is judged first
/// @param approvals  how many questions are open
/// @param changed    files that people or their tools run later, such as build scripts, and that the session has
///                   changed; relative to the workspace, and known when the session has ended
public record Guarded(
        String tier, String by, String files, String network, List<String> hosts, boolean noNewPrivs, boolean watched,
        int approvals, List<String> changed) {
    public Guarded {
        hosts = List.copyOf(hosts);
        changed = List.copyOf(changed);
    }

    static Guarded of(Guard guard, String by) {
        Isolation isolation = guard.isolation();
        boolean sandboxed = isolation.sandboxed();
        Network network = sandboxed ? isolation.network() : new Network.On();
        return new Guarded(
                isolation.tier().label(),
                by,
                !sandboxed ? "all" : isolation.readOnly() ? "read-only" : "workspace",
                network.label(),
                network instanceof Network.Hosts hosts ? hosts.names() : List.of(),
                !guard.none(),
                guard.watched(),
                0,
                List.of());
    }

    /// The same with what changes over time.
    Guarded now(int pending, List<String> files) {
        return new Guarded(tier, by, this.files, network, hosts, noNewPrivs, watched, pending, files);
    }
}
