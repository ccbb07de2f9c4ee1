package dev.belay.cli;

import dev.belay.Environment;
import dev.belay.Limits;
import dev.belay.access.Gate;
import dev.belay.agent.AgentSettings;
import dev.belay.agent.AgentTools;
import dev.belay.agent.CallTurns;
import dev.belay.agent.WorkspaceChoice;
import dev.belay.cli.config.Config;
import dev.belay.mcp.Workplace;
import dev.belay.screens.Screens;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The tools of a `belay mcp` that runs the sessions itself. The first call opens them, so that the client can say
/// where it works before that.
final class LocalTools implements Workplace, AutoCloseable {
    /// The only one that these sessions have: it lasts as long as they do.
    private static final String CONVERSATION = "stdio";

    private final Config config;
    private final Optional<Path> file;
    private final Map<String, String> caller;
    private final WorkspaceChoice place;
    private final boolean fixed;
    /// Guards what is opened; opening takes a moment.
    private final ReentrantLock opening = new ReentrantLock();
    private @Nullable TemporarySessions scratch;
    private @Nullable Screens screens;
    private volatile @Nullable AgentTools tools;

    /// @param file   where the settings are, if there are any
    /// @param caller the environment that sessions inherit
    /// @param place  the workspace
    /// @param fixed  whether it is, whatever the client says
    LocalTools(
            Config config, Optional<Path> file, Map<String, String> caller, WorkspaceChoice place, boolean fixed) {
        this.config = config;
        this.file = file;
        this.caller = caller;
        this.place = place;
        this.fixed = fixed;
    }

    @Override
    public AgentSettings settings() {
        return config.agent();
    }

    @Override
    public boolean isOpen() {
        return fixed || tools != null;
    }

    @Override
    public AgentTools open(@Nullable Path root) {
        opening.lock();
        try {
            AgentTools open = tools;
            if (open == null) {
                open = open(root == null || fixed ? place : new WorkspaceChoice(root, "the client's root"));
                tools = open;
            }
            return open;
        } finally {
            opening.unlock();
        }
    }

    private AgentTools open(WorkspaceChoice chosen) {
        Limits limits = config.limits().maxSessions(config.agent().maxSessions());
        TemporarySessions opened = TemporarySessions.open(
                () -> config.host(chosen.workspace()), config.environment(Environment.inherited(caller), caller),
                limits,
                config.resources(), config.isolation(chosen.workspace(), file));
        scratch = opened;
        opened.sessions().approvals().settings(config.approvals());
        System.err.println("belay: workspace " + chosen.workspace() + ": " + chosen.why());
        Screens made = new Screens(opened.sessions(), config.screens());
        screens = made;
        AgentSettings settings = config.agent();
        return new AgentTools(
                Gate.forOneAgent(opened.sessions(), "agent", settings::maxSessions).in(CONVERSATION), made,
                () -> settings, new CallTurns());
    }

    /// Ends all sessions and opens no more: the client has gone.
    @Override
    public void close() {
        opening.lock();
        try {
            if (screens != null) {
                screens.close();
            }
            if (scratch != null) {
                scratch.close();
            }
        } finally {
            opening.unlock();
        }
    }
}
