package dev.belay.agent;

import dev.belay.Approval;
import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.Sessions;
import dev.belay.access.ActorSessions;
import dev.belay.access.Gate;
import dev.belay.screens.Screens;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/// The tools an agent drives sessions with: start a command, type into it, read its output, know when it is done.
///
/// They know no protocol: a request is a record, and so is the answer, even if the tool failed. Every method may be
/// called from any thread. Calls on one session run one after the other. An interrupt ends a call's wait with an
/// [InterruptedException]; the session keeps running and no output is lost.
public final class AgentTools implements AutoCloseable {
    /// The label that names the development tool a session runs.
    public static final String TOOL_LABEL = "tool";

    /// The label of a persistent shell: bash, zsh or fish.
    public static final String SHELL_LABEL = "shell";

    private final ActorSessions view;
    private final Supplier<AgentSettings> settings;
    private final CallTurns turns;
    private final AgentSessions sessions;
    private final Screens screens;
    private final boolean ownScreens;

    /// Tools of an agent called `agent`, which has these sessions to itself. They answer the questions that programs
    /// ask their terminal. Close the tools before the sessions.
    public AgentTools(Sessions sessions, AgentSettings settings) {
        this(Gate.forOneAgent(sessions, "agent", settings::maxSessions), new Screens(sessions), () -> settings,
                new CallTurns(), true, ApprovalAsker.NOBODY);
    }

    /// @param view     what the agent may see, drive and open
    /// @param screens  the screens of all these sessions; their maker closes them
    /// @param settings looked up in every call: they may change
    /// @param turns    shared by all tools that may meet in a session
    public AgentTools(ActorSessions view, Screens screens, Supplier<AgentSettings> settings, CallTurns turns) {
        this(view, screens, settings, turns, false, ApprovalAsker.NOBODY);
    }

    private AgentTools(ActorSessions view, Screens screens, Supplier<AgentSettings> settings, CallTurns turns,
            boolean ownScreens, ApprovalAsker asker) {
        this.view = view;
        this.screens = screens;
        this.ownScreens = ownScreens;
        this.settings = settings;
        this.turns = turns;
        this.sessions = new AgentSessions(view, turns, asker);
    }

    /// The same tools, whose calls ask the user of the client about programs. Close only the tools that they come from.
    public AgentTools asking(ApprovalAsker asker) {
        return new AgentTools(view, screens, settings, turns, false, asker);
    }

    /// Declares that the user of the client can be asked.
    ///
    /// @return run it when they no longer can
    public Runnable attend() {
        return view.attend();
    }

    /// Answers for the user of the client. An answer that comes too late changes nothing.
    ///
    /// @return false if it came too late
    public boolean answerAsClient(String approval, Approval.Answer answer) {
        try {
            view.answerAsClient(approval, answer);
            return true;
        } catch (SessionException e) {
            if (e.code() != ErrorCode.NOT_FOUND) {
                throw e;
            }
            return false;
        }
    }

    /// The folder that working folders are relative to.
    public Path workspace() {
        return view.workspace();
    }

    /// An id for a new session. Short, since a model has to repeat it, and random enough (50 bits) to be unique.
    public static String newSessionId() {
        return Long.toString(ThreadLocalRandom.current().nextLong(1L << 50, 1L << 51), Character.MAX_RADIX);
    }

    /// How the tools behave now.
    public AgentSettings settings() {
        return settings.get();
    }

    /// How many sessions have a call in progress.
    int callsUnderWay() {
        return turns.size();
    }

    /// Starts a command and waits for its exit, for a prompt, or for what the request names, until the time is up.
    public ExecResult unifiedExec(ExecRequest request) throws InterruptedException {
        return new UnifiedExec(sessions, screens).call(request, settings.get());
    }

    /// Sends input to a session, if there is any, and waits for an answer, or for what the request names.
    public ExecResult writeStdin(WriteRequest request) throws InterruptedException {
        return new WriteStdin(sessions, screens).call(request, settings.get());
    }

    /// Reads any part of a session's output again.
    public OutputResult readOutput(ReadRequest request) {
        return new ReadOutput(sessions, screens).call(request, settings.get());
    }

    /// All sessions the agent can see, sorted by id.
    public ListResult listPtySessions() {
        return new ListSessions(sessions, screens).call();
    }

    /// Ends a session with all its processes and forgets it.
    public CloseResult closePtySession(String sessionId, boolean force) {
        return new CloseSession(sessions).call(sessionId, force);
    }

    /// Stops following the sessions' screens, if the tools made these themselves. The sessions keep running.
    @Override
    public void close() {
        if (ownScreens) {
            screens.close();
        }
    }
}
