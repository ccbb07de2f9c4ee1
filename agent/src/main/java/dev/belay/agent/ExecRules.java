package dev.belay.agent;

import dev.belay.ExecPolicy;
import dev.belay.Execution;
import java.util.List;

/// Judges the programs that watched sessions start by the rules for commands: the first that matches decides. Of a
/// script and its interpreter, or of a loader and its program, the stricter decision counts.
///
/// @param otherwise what happens to a program that no rule matches
public record ExecRules(List<Rule> rules, Action otherwise) implements ExecPolicy {
    public ExecRules {
        rules = List.copyOf(rules);
    }

    /// The policy for these rules. Without rules, and if everything else is allowed, it allows everything.
    public static ExecPolicy of(List<Rule> rules, Action otherwise) {
        return rules.isEmpty() && otherwise == Action.ALLOW ? ALLOW_ALL : new ExecRules(rules, otherwise);
    }

    @Override
    public Verdict judge(String owner, Execution execution) {
        Verdict strictest = null;
        for (Execution.Image image : execution.images()) {
            Verdict verdict = judge(owner, execution, image);
            if (strictest == null || verdict.action().compareTo(strictest.action()) > 0) {
                strictest = verdict;
            }
        }
        return strictest == null ? new Verdict(otherwise, null) : strictest;
    }

    private Verdict judge(String owner, Execution execution, Execution.Image image) {
        for (Rule rule : rules) {
            if (rule.fits(owner, execution, image)) {
                return new Verdict(rule.action(), rule.name(), otherwise != Action.ALLOW);
            }
        }
        // Nobody can write a rule for a file without a name.
        boolean unknown = !image.named() && otherwise == Action.ALLOW && !rules.isEmpty();
        return new Verdict(unknown ? Action.ASK : otherwise, null);
    }
}
