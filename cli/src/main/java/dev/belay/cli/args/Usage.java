package dev.belay.cli.args;

import java.util.List;

/// The help of a command, as text of at most 80 columns.
public final class Usage {
    private static final int WIDTH = 80;
    private static final int NAMES = 24;

    private Usage() {}

    /// The help of a command.
    public static String of(Syntax syntax, boolean coloured) {
        StringBuilder text = new StringBuilder(syntax.header()).append('\n');
        text.append("\n@|bold Usage:|@ ").append(syntax.synopsis()).append('\n');
        if (!syntax.description().isEmpty()) {
            text.append('\n').append(syntax.description()).append('\n');
        }
        List<Parameter> explained =
                syntax.parameters().stream().filter(one -> !one.help().isEmpty()).toList();
        if (!explained.isEmpty()) {
            text.append('\n');
            explained.forEach(one -> entry(text, "      " + one.label(), one.help()));
        }
        text.append("\n@|bold Options:|@\n");
        for (Option option : syntax.options()) {
            entry(text, names(option), option.help());
        }
        if (!syntax.footer().isEmpty()) {
            text.append('\n').append(syntax.footer()).append('\n');
        }
        return styled(text.toString(), coloured);
    }

    private static String names(Option option) {
        String names = option.names().size() > 1 ? "  " + String.join(", ", option.names()) : "      " + option.name();
        return names + value(option);
    }

    static String value(Option option) {
        return option.isFlag() ? "" : "=" + option.label();
    }

    /// A line with a name on the left and its meaning on the right, which may take several lines.
    public static void entry(StringBuilder text, String name, String meaning) {
        StringBuilder line = new StringBuilder(name);
        if (name.length() >= NAMES) {
            text.append(name).append('\n');
            line.setLength(0);
        }
        pad(line);
        int begin = line.length();
        for (String word : meaning.split(" ", -1)) {
            if (line.length() > begin && line.length() + 1 + word.length() > WIDTH) {
                text.append(line).append('\n');
                line.setLength(0);
                pad(line);
                begin = line.length();
            }
            line.append(line.length() > begin ? " " : "").append(word);
        }
        text.append(line).append('\n');
    }

    private static void pad(StringBuilder line) {
        line.repeat(' ', Math.max(0, NAMES - line.length()));
    }

    /// Texts with their marks for bold as escape sequences, or without them.
    public static String styled(String text, boolean coloured) {
        return text.replace("@|bold ", coloured ? "\033[1m" : "").replace("|@", coloured ? "\033[m" : "");
    }
}
