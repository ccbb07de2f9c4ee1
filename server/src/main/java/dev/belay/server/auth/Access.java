package dev.belay.server.auth;

import dev.belay.access.ActorSessions;
import dev.belay.access.Gate;

/// How front doors reach sessions: a view for each login, which ends with the token behind it.
public final class Access {
    private final Gate gate;
    private final Authority authority;

    public Access(Gate gate, Authority authority) {
        this.gate = gate;
        this.authority = authority;
    }

    /// The sessions as somebody may see, drive and open them.
    public ActorSessions of(Login login) {
        return gate.view(() -> authority.require(login));
    }

    /// The sessions as an agent of somebody may see, drive and open them.
    public ActorSessions ofAgent(Login login) {
        return gate.agent(() -> authority.require(login));
    }
}
