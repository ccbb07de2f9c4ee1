package dev.belay.agent;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.belay.Quoted;
import dev.belay.SessionException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One rule of a [Policy]: fits a simple command whose program is one of those named, if any are, and whose text holds
/// the expression, if there is one.
public final class Rule {
    private final String name;
    private final boolean allow;
    private final List<String> programs;
    private final @Nullable Pattern match;

    /// @param programs names of programs without their folder; none: any
    /// @param match    a regular expression (RE2) looked for in the words of the command, joined by spaces; null: any
    public Rule(String name, boolean allow, List<String> programs, @Nullable String match) {
        this.name = name;
        this.allow = allow;
        this.programs = List.copyOf(programs);
        try {
            this.match = match == null ? null : Pattern.compile(match);
        } catch (PatternSyntaxException e) {
            throw SessionException.invalid("The expression " + Quoted.of(String.valueOf(match)) + " of rule "
                    + Quoted.of(name) + " is not valid: " + e.getDescription() + ".");
        }
        if (programs.isEmpty() && match == null) {
            throw SessionException.invalid("Rule " + Quoted.of(name) + " needs programs or match, or it fits nothing.");
        }
    }

    public String name() {
        return name;
    }

    public boolean allow() {
        return allow;
    }

    boolean fits(CommandText.Part part) {
        return (programs.isEmpty() || programs.contains(part.program()))
                && (match == null || match.matcher(String.join(" ", part.words())).find());
    }
}
