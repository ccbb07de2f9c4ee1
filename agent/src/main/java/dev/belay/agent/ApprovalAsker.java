package dev.belay.agent;

import dev.belay.Approval;

/// Asks the user of an agent's client about a program, while a call of the agent waits.
@FunctionalInterface
public interface ApprovalAsker {
    /// Asks nobody: the call ends, and tells the agent that somebody else has to answer.
    ApprovalAsker NOBODY = _ -> false;

    /// Asks, and waits for the answer. What it throws ends the call.
    ///
    /// @return whether the question has been put and answered, so that the call goes on
    boolean ask(Approval approval) throws InterruptedException;
}
