package dev.belay.agent;

import dev.belay.ErrorCode;
import dev.belay.ExecPolicy.Action;
import dev.belay.Quoted;
import dev.belay.SessionException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Decides which commands may be started or typed. A guard rail against mistakes, not a wall: a shell can do a thing in
/// more ways than its text shows, and a line may be typed in parts.
@FunctionalInterface
public interface Policy {
    /// Every command may be started.
    Policy ALLOW_ALL = (_, _) -> Decision.ALLOWED;

    /// Whether a command may be started in a folder.
    Decision decide(CommandText command, String workdir);

    /// Refuses a command with `DENIED` if it may not run.
    ///
    /// @param what what did not happen, as the beginning of a sentence
    default void require(CommandText command, String workdir, String what) {
        Decision decision = decide(command, workdir);
        if (!decision.allowed()) {
            String rule = String.valueOf(decision.rule());
            throw new SessionException(
                    ErrorCode.DENIED,
                    what + ": rule " + Quoted.of(rule) + " denies it. Find another way, or ask the person you work"
                            + " for.",
                    Map.of("rule", rule));
        }
    }

    /// A decision, with the name of the rule that made it.
    record Decision(boolean allowed, @Nullable String rule) {
        static final Decision ALLOWED = new Decision(true, null);
    }

    /// Rules for sessions that nobody watches; see [#of(List, boolean)].
    static Policy of(List<Rule> rules) {
        return of(rules, false);
    }

    /// Rules in order: for each simple command the first that fits it decides, and one that none fits is allowed. A
    /// command of several is allowed if each of them is.
    ///
    /// @param watched whether sessions are watched, so that a rule that asks can wait until the program starts.
    ///                Otherwise nobody is asked, and such a rule denies
    static Policy of(List<Rule> rules, boolean watched) {
        return rules.isEmpty() ? ALLOW_ALL : new Rules(List.copyOf(rules), watched);
    }

    /// See [#of].
    record Rules(List<Rule> rules, boolean watched) implements Policy {
        @Override
        public Decision decide(CommandText command, String workdir) {
            return command.parts().stream()
                    .map(this::decide)
                    .filter(decision -> !decision.allowed())
                    .findFirst()
                    .orElse(Decision.ALLOWED);
        }

        private Decision decide(CommandText.Part part) {
            return rules.stream()
                    .filter(rule -> rule.fits(part))
                    .findFirst()
                    .map(rule -> new Decision(allows(rule), rule.name()))
                    .orElse(Decision.ALLOWED);
        }

        private boolean allows(Rule rule) {
            return rule.action() == Action.ALLOW || (rule.action() == Action.ASK && watched);
        }
    }
}
