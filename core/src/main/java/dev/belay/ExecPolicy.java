package dev.belay;

import org.jspecify.annotations.Nullable;

/// Decides which programs the processes of a watched session may start. Called on any thread; must be quick, without
/// I/O.
@FunctionalInterface
public interface ExecPolicy {
    /// Everything may start.
    ExecPolicy ALLOW_ALL = (_, _) -> Verdict.ALLOWED;

    /// Judges one program.
    ///
    /// @param owner who the session belongs to
    Verdict judge(String owner, Execution execution);

    /// What happens to a program, from the most lenient to the strictest.
    enum Action {
        ALLOW,
        ASK,
        DENY
    }

    /// A decision.
    ///
    /// @param rule    the name of the rule that made it; null if none matches
    /// @param checked whether Belay compares an allowed program with the one that really runs
    record Verdict(Action action, @Nullable String rule, boolean checked) {
        /// Allowed, because no rule objects.
        public static final Verdict ALLOWED = new Verdict(Action.ALLOW, null, false);

        public Verdict(Action action, @Nullable String rule) {
            this(action, rule, false);
        }
    }
}
