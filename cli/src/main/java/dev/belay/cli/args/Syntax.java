package dev.belay.cli.args;

import java.util.ArrayList;
import java.util.List;

/// What can be written after a command, and its help.
///
/// In texts, `@|bold ...|@` is bold on a terminal; lines have at most 80 characters.
///
/// @param name        `ls`
/// @param header      what it does, in one line
/// @param synopsis    `belay ls [OPTION...]`
/// @param description what it does, in some lines
/// @param client      whether it is a client of a server, which decides its exit codes
/// @param rest        whether everything from the first parameter on belongs to that parameter
/// @param parameters  the words that are not options
/// @param options     the options, `--help` at the end
/// @param footer      everything after the options
public record Syntax(
        String name,
        String header,
        String synopsis,
        String description,
        boolean client,
        boolean rest,
        List<Parameter> parameters,
        List<Option> options,
        String footer) {
    static final Option HELP = new Option(List.of("-h", "--help"), "", "Show this help.", false, List.of());

    /// A command without options.
    public static Syntax of(String name, String header, String synopsis) {
        return new Syntax(name, header, synopsis, "", false, false, List.of(), List.of(HELP), "");
    }

    /// A client of a server.
    public Syntax ofClient() {
        return new Syntax(name, header, synopsis, description, true, rest, parameters, options, footer);
    }

    /// Options after the first parameter belong to that parameter: it is a command of its own.
    public Syntax withRest() {
        return new Syntax(name, header, synopsis, description, client, true, parameters, options, footer);
    }

    public Syntax description(String text) {
        return new Syntax(name, header, synopsis, text, client, rest, parameters, options, footer);
    }

    public Syntax footer(String text) {
        return new Syntax(name, header, synopsis, description, client, rest, parameters, options, text);
    }

    public Syntax flag(String option, String help) {
        return with(new Option(names(option), "", help, false, List.of()));
    }

    public Syntax value(String option, String label, String help, String... choices) {
        return with(new Option(names(option), label, help, false, List.of(choices)));
    }

    public Syntax values(String option, String label, String help) {
        return with(new Option(names(option), label, help, true, List.of()));
    }

    private static List<String> names(String option) {
        return List.of(option.split(" ", -1));
    }

    public Syntax with(Option option) {
        List<Option> more = new ArrayList<>(options);
        more.add(more.size() - 1, option);
        return new Syntax(name, header, synopsis, description, client, rest, parameters, List.copyOf(more), footer);
    }

    /// A parameter that must be given.
    public Syntax parameter(String label, String help, String... choices) {
        return with(new Parameter(label, help, 1, 1, List.of(choices)));
    }

    public Syntax with(Parameter parameter) {
        List<Parameter> more = new ArrayList<>(parameters);
        more.add(parameter);
        return new Syntax(name, header, synopsis, description, client, rest, List.copyOf(more), options, footer);
    }
}
