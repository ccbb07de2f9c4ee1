package dev.belay;

import org.jspecify.annotations.Nullable;

/// Decides which programs the processes of a watched session may start. Called on any thread, and quick: no I/O.
@FunctionalInterface
public interface ExecPolicy {
    /// Everything may start.
    ExecPolicy ALLOW_ALL = (_, _) -> Verdict.ALLOWED;

    /// Judges one program.
    ///
    /// @param owner who the session belongs to
    Verdict judge(String owner, Execution execution);

    /// What happens to a program. The later ones are stricter.
    enum Action {
        ALLOW,
        ASK,
        DENY
    }

    /// A decision.
    ///
    /// @param rule    the name of the rule that made it; null if none fits
    /// @param checked whether an allowed program is compared with the one that runs then
    record Verdict(Action action, @Nullable String rule, boolean checked) {
        /// Allowed, because no rule is against it.
        public static final Verdict ALLOWED = new Verdict(Action.ALLOW, null, false);

        public Verdict(Action action, @Nullable String rule) {
            this(action, rule, false);
        }
    }
}
