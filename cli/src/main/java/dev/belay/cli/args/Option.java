package dev.belay.cli.args;

import java.util.List;

/// One option of a command.
///
/// @param names      `--name`, or `-n` before it
/// @param label      what its value is called, or empty for a flag
/// @param help       one or two sentences
/// @param repeatable whether it may be given several times
/// @param choices    the values to offer in completion; empty: the label decides
public record Option(List<String> names, String label, String help, boolean repeatable, List<String> choices) {
    /// The longest of its names, by which a command asks for it.
    public String name() {
        return names.getLast();
    }

    public boolean isFlag() {
        return label.isEmpty();
    }
}
