package dev.belay.cli.args;

import java.util.List;

/// A word after a command that is not an option.
///
/// @param label   what it is called: `ID`
/// @param help    one sentence
/// @param least   how many there are at least
/// @param most    how many there are at most
/// @param choices the values to offer in completion; empty: the label decides
public record Parameter(String label, String help, int least, int most, List<String> choices) {}
