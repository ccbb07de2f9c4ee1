package dev.belay.agent;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides which commands may be started. A guard rail against mistakes, not a wall: a shell can do a thing in more ways
/// than its text shows, and what is typed into a running session is not asked about.
@FunctionalInterface
public interface Policy {
    /// Every command may be started.
    Policy ALLOW_ALL = (_, _) -> Decision.ALLOWED;

    /// Whether a command may be started in a folder.
    Decision decide(CommandText command, String workdir);

    /// A decision, with the name of the rule that made it.
    record Decision(boolean allowed, @Nullable String rule) {
        static final Decision ALLOWED = new Decision(true, null);
    }

    /// Rules in order: for each simple command the first that fits it decides, and one that none fits is allowed. A
    /// command of several is allowed if each of them is.
    static Policy of(List<Rule> rules) {
        List<Rule> all = List.copyOf(rules);
        if (all.isEmpty()) {
            return ALLOW_ALL;
        }
        return (command, _) -> command.parts().stream()
                .map(part -> all.stream()
                        .filter(rule -> rule.fits(part))
                        .findFirst()
                        .map(rule -> new Decision(rule.allow(), rule.name()))
                        .orElse(Decision.ALLOWED))
                .filter(decision -> !decision.allowed())
                .findFirst()
                .orElse(Decision.ALLOWED);
    }
}
