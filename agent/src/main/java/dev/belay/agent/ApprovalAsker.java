package dev.belay.agent;

import dev.belay.Approval;

/// Asks the user of an agent's client about a program, while a call of the agent waits.
@FunctionalInterface
public interface ApprovalAsker {
    /// Asks nobody: the call ends, and its answer says that somebody else has to approve.
    ApprovalAsker NOBODY = _ -> false;

    /// Asks, and waits for the answer. What it throws ends the call.
    ///
    /// @return whether the user was asked and has answered, so that the call can continue
    boolean ask(Approval approval) throws InterruptedException;
}
