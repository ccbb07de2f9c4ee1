package dev.belay.cli.args;

import java.util.List;
import java.util.regex.Pattern;

/// Manual pages in roff, section 1.
public final class ManPage {
    private static final Pattern HEADING = Pattern.compile("@\\|bold (.*?):\\|@");

    private ManPage() {}

    /// The page `belay-NAME(1)`.
    public static String of(Syntax syntax) {
        StringBuilder page = head("belay-" + syntax.name(), syntax.header());
        page.append(".SH SYNOPSIS\n").append(escaped(syntax.synopsis())).append('\n');
        page.append(".SH DESCRIPTION\n").append(text(syntax.description())).append('\n');
        page.append(".SH OPTIONS\n");
        for (Option option : syntax.options()) {
            page.append(".TP\n\\fB").append(escaped(String.join("\\fR, \\fB", option.names()))).append("\\fR")
                    .append(escaped(Usage.value(option))).append('\n')
                    .append(text(option.help())).append('\n');
        }
        return page.append(sections(syntax.footer())).append(seeAlso()).toString();
    }

    /// The page `belay(1)`.
    public static String ofBelay(List<Syntax> commands) {
        StringBuilder page = head("belay", "terminal sessions that AI agents and people share");
        page.append(".SH SYNOPSIS\nbelay COMMAND [OPTION...]\n.SH COMMANDS\n");
        for (Syntax command : commands) {
            page.append(".TP\n\\fBbelay ").append(command.name()).append("\\fR\n").append(text(command.header()))
                    .append('\n');
        }
        return page.append(seeAlso()).toString();
    }

    private static StringBuilder head(String name, String what) {
        return new StringBuilder(".TH \"" + name.toUpperCase(java.util.Locale.ROOT) + "\" 1\n.SH NAME\n" + escaped(name)
                + " \\- " + escaped(what) + "\n");
    }

    private static String seeAlso() {
        return ".SH SEE ALSO\n\\fBbelay\\fR(1), \\fBbelay help COMMAND\\fR\n";
    }

    /// Headings become sections; what stands below them keeps its lines.
    private static String sections(String footer) {
        StringBuilder page = new StringBuilder();
        boolean open = false;
        for (String line : footer.lines().toList()) {
            var heading = HEADING.matcher(line);
            if (heading.matches()) {
                page.append(open ? ".fi\n" : "").append(".SH ")
                        .append(heading.group(1).toUpperCase(java.util.Locale.ROOT)).append("\n.nf\n");
                open = true;
            } else {
                page.append(text(line)).append('\n');
            }
        }
        return page.append(open ? ".fi\n" : "").toString();
    }

    private static String text(String plain) {
        String safe = escaped(plain);
        // A line that begins with a dot or an apostrophe would be a request.
        return safe.startsWith(".") || safe.startsWith("'") ? "\\&" + safe : safe;
    }

    private static String escaped(String plain) {
        return plain.replace("\\fR, \\fB", "\u0001").replace("\\", "\\e").replace("-", "\\-")
                .replace("\u0001", "\\fR, \\fB");
    }
}
