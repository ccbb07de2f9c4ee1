package dev.belay.host;

import dev.belay.Approval;
import dev.belay.Execution;
import java.util.List;
import java.util.Optional;

/// A process of a watched session that asks to start a program. The kernel holds it until the request is answered once.
/// Any thread may use it; all methods except [#onGone] may take a moment.
public interface ExecRequest {
    /// The process that asks.
    long pid();

    /// Reads what the process asks for.
    ///
    /// @return empty if there is nothing left to answer: the process is gone, or the file does not exist
    Optional<Execution> look();

    /// The command lines of its parent processes, nearest first.
    List<String> ancestors();

    /// Lets the process go on.
    ///
    /// @param checked whether [#check] follows
    /// @return false if it is gone
    boolean allow(boolean checked);

    /// Fails the call with EPERM.
    ///
    /// @return false if the process is gone
    boolean deny();

    /// Whether nobody waits for an answer any more. Costs no descriptor, unlike [#onGone].
    boolean gone();

    /// Runs something once if the process is gone before it is answered. May run at once, and on the host's loop.
    void onGone(Runnable gone);

    /// After [#allow]: compares what runs with what [#look] found, and kills a program that differs. Waits until the
    /// program has started, for at most a second.
    Approval.Check check();
}
