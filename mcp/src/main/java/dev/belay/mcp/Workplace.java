package dev.belay.mcp;

import dev.belay.agent.AgentSettings;
import dev.belay.agent.AgentTools;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// Where a client's tools come from, and where its commands start.
public interface Workplace {
    /// How the tools behave now.
    AgentSettings settings();

    /// Whether the tools are there already, and with them the workspace.
    boolean isOpen();

    /// The tools; the first call decides on the workspace.
    ///
    /// @param root the folder that the client says it works in, if it says so
    AgentTools open(@Nullable Path root);

    /// The folder that relative folders start at, as seen from the workspace, unless the client names a root.
    default String folder() {
        return ".";
    }

    /// The client has called a tool; for those who want to know.
    ///
    /// @param session what the call names as its session; null: nothing
    default void called(String tool, @Nullable String session) {}

    /// Tools that are there.
    ///
    /// @param folder see [#folder()]
    static Workplace of(AgentTools tools, String folder) {
        return of(tools, folder, (_, _) -> {});
    }

    /// Tools that are there.
    ///
    /// @param folder see [#folder()]
    /// @param called called for each call; see [#called]
    static Workplace of(AgentTools tools, String folder, BiConsumer<String, @Nullable String> called) {
        return new Workplace() {
            @Override
            public AgentSettings settings() {
                return tools.settings();
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public AgentTools open(@Nullable Path root) {
                return tools;
            }

            @Override
            public String folder() {
                return folder;
            }

            @Override
            public void called(String tool, @Nullable String session) {
                called.accept(tool, session);
            }
        };
    }
}
