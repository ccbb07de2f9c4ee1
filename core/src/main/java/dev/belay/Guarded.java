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
public record Guarded(
        String tier, String by, String files, String network, List<String> hosts, boolean noNewPrivs, boolean watched,
        int approvals) {
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
                0);
    }

    Guarded approvals(int pending) {
        return pending == approvals
                ? this
                : new Guarded(tier, by, files, network, hosts, noNewPrivs, watched, pending);
    }
}
