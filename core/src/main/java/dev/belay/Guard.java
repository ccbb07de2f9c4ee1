package dev.belay;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The restrictions on a session.
///
/// @param isolation    what the kernel lets its processes do
/// @param watched      whether each program that its processes start is judged first; see [Approvals]
/// @param approvers    who may answer its questions besides admins; [Approval#CLIENT] is the user of the MCP client
/// @param conversation the agent's conversation that opened it; null: none
public record Guard(
        Isolation isolation, boolean watched, List<String> approvers, @Nullable String conversation) {
    /// No restrictions.
    public static final Guard NONE = new Guard(Isolation.NONE, false, List.of(), null);

    public Guard {
        approvers = List.copyOf(approvers);
    }

    /// Whether there are no restrictions.
    public boolean none() {
        return isolation.tier() == Tier.NONE && !watched;
    }

    public Guard isolation(Isolation value) {
        return new Guard(value, watched, approvers, conversation);
    }

    public Guard watched(boolean value) {
        return new Guard(isolation, value, approvers, conversation);
    }

    public Guard approvers(List<String> value) {
        return new Guard(isolation, watched, value, conversation);
    }

    public Guard conversation(@Nullable String value) {
        return new Guard(isolation, watched, approvers, value);
    }
}
