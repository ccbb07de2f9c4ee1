package dev.belay.agent;

import org.jspecify.annotations.Nullable;

/// What a tool answers.
public sealed interface ToolResult permits ExecResult, OutputResult, ListResult, CloseResult {
    /// Why the tool failed; null if it did not.
    @Nullable ToolError error();

    /// Whether the tool did what it was asked. A command that fails is a success of the tool.
    default boolean success() {
        return error() == null;
    }
}
