package dev.belay;

import java.util.List;

/// What watches over a session.
///
/// @param isolation what the kernel lets its processes do
/// @param watched   whether each program that its processes start is judged first, see [Approvals]
/// @param approvers who may answer questions about it, besides admins; [Approval#CLIENT] for the user of the MCP client
public record Guard(Isolation isolation, boolean watched, List<String> approvers) {
    /// Nothing.
    public static final Guard NONE = new Guard(Isolation.NONE, false, List.of());

    public Guard {
        approvers = List.copyOf(approvers);
    }

    /// Whether there is nothing to keep.
    public boolean none() {
        return isolation.tier() == Tier.NONE && !watched;
    }

    public Guard isolation(Isolation value) {
        return new Guard(value, watched, approvers);
    }

    public Guard watched(boolean value) {
        return new Guard(isolation, value, approvers);
    }

    public Guard approvers(List<String> value) {
        return new Guard(isolation, watched, value);
    }
}
