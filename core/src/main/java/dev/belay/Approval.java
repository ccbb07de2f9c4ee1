package dev.belay;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A question whether a program may start, or a record that it may not.
///
/// @param id        the id that an answer names
/// @param session   the id of the session that asks
/// @param owner     the owner of that session
/// @param program   the path of the program, without links
/// @param command   its command line
/// @param workdir   where it would run; empty if unknown
/// @param variables the names of variables that steer it and that the session did not begin with, as safe text
/// @param ancestors the command lines of its parent processes, nearest first
/// @param rule      the rule that asks or denies; null if none matches
/// @param count     how many processes wait for the same answer
/// @param approvers who may answer besides admins
/// @param scopes    for how long it can be allowed
/// @param privateTo who typed it privately: others may not know what it is; null if everybody may
/// @param expiresAt when it expires
/// @param by        who answered; null if nobody has
/// @param scope     how long the answer applies; null if there is none
/// @param reason    why it is closed; null while it is open
public record Approval(
        String id,
        String session,
        String owner,
        String program,
        CommandLine command,
        String workdir,
        List<String> variables,
        List<String> ancestors,
        @Nullable String rule,
        int count,
        List<String> approvers,
        List<Scope> scopes,
        @Nullable String privateTo,
        Instant askedAt,
        Instant expiresAt,
        State state,
        @Nullable String by,
        @Nullable Scope scope,
        @Nullable Reason reason) {
    /// The approver that stands for the user of an MCP client.
    public static final String CLIENT = "client";

    /// The program, for those who may not know it.
    public static final String PRIVATE = "(private)";

    /// The detail of `NOT_FOUND` that says how a question was closed.
    public static final String STATE = "state";

    /// How the question stands.
    public enum State {
        /// Nobody has answered yet.
        PENDING,
        ALLOWED,
        /// By an answer, or by a rule.
        DENIED,
        /// Nobody answered in time.
        EXPIRED,
        /// The process or its session ended before.
        GONE,
        /// Nobody could be asked, or too many were asked already.
        REFUSED;

        /// The name in records.
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// Why it was decided so.
    public enum Reason {
        /// The rules, or the default for programs that no rule matches.
        RULE,
        /// Somebody answered.
        ANSWER,
        /// Somebody answered before, for the session or the workspace.
        EARLIER_ANSWER,
        /// Nobody answered in time.
        TIMEOUT,
        /// The process or its session ended before.
        GONE,
        /// Nobody could be asked.
        NOBODY,
        /// Too many questions were open.
        QUESTIONS,
        /// Too many processes were waiting for the same answer.
        WAITING;

        /// The name in records.
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// How long an answer applies.
    public enum Scope {
        ONCE,
        /// For the rest of the session.
        SESSION,
        /// For all sessions that the agent opens in the same conversation.
        CONVERSATION,
        /// For every session in the workspace, from now on.
        WORKSPACE;

        /// The name in records.
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        /// The scope with this name; any other name is refused.
        public static Scope of(String label) {
            for (Scope scope : values()) {
                if (scope.label().equals(label)) {
                    return scope;
                }
            }
            throw SessionException.invalid(
                    "There is no scope " + Quoted.of(label) + "; use once, session, conversation or workspace.");
        }
    }

    /// An answer.
    ///
    /// @param words applies to all commands that begin with this many of its words; null: to exactly this command
    public record Answer(boolean allow, Scope scope, @Nullable Integer words) {
        public static final Answer ALLOW = new Answer(true, Scope.ONCE, null);
        public static final Answer DENY = new Answer(false, Scope.ONCE, null);

        public Answer {
            if (words != null && words < 1) {
                throw SessionException.invalid("words must be at least 1: the program itself.");
            }
        }
    }

    /// What was found when an approved program had started.
    public enum Check {
        /// The program that runs is the one that was approved, with the words that were approved.
        VERIFIED,
        /// Another one ran. It has been killed.
        MISMATCH,
        /// The approved program runs with other words: they were swapped behind the check, or it has already given
        /// itself another title.
        OTHER_WORDS,
        /// It was gone before anybody could look, did not start, or may not be looked at.
        UNVERIFIED;

        /// The name in records.
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// Its words, see [CommandLine#words()].
    public List<String> words() {
        return command.words();
    }

    /// Whether an actor may answer it. Agents never may.
    public boolean answerableBy(Actor actor) {
        return !actor.agent() && !actor.watches() && (actor.admin() || approvers.contains(actor.name()));
    }

    /// As an actor may see it: what somebody else has typed privately is left out.
    public Approval seenBy(Actor actor) {
        return hides(actor) ? withheld() : this;
    }

    /// Whether an actor may not know what it asks.
    public boolean hides(Actor actor) {
        return privateTo != null && PrivateRange.hides(privateTo, actor);
    }

    /// As everybody may see it, and logs may keep it.
    public Approval withheld() {
        if (privateTo == null) {
            return this;
        }
        String says = "⟦typed privately by " + Quoted.inside(privateTo) + "⟧";
        CommandLine nothing = new CommandLine(says, List.of(), 0);
        return new Approval(id, session, owner, PRIVATE, nothing, "", List.of(), List.of(), rule, count, approvers,
                scopes, privateTo, askedAt, expiresAt, state, by, scope, reason);
    }

    Approval count(int value) {
        return new Approval(id, session, owner, program, command, workdir, variables, ancestors, rule, value, approvers,
                scopes, privateTo, askedAt, expiresAt, state, by, scope, reason);
    }

    Approval ancestors(List<String> value) {
        return new Approval(id, session, owner, program, command, workdir, variables, value, rule, count, approvers,
                scopes, privateTo, askedAt, expiresAt, state, by, scope, reason);
    }

    Approval closed(State how, Reason why, @Nullable String who, @Nullable Scope holds) {
        return new Approval(id, session, owner, program, command, workdir, variables, ancestors, rule, count, approvers,
                scopes, privateTo, askedAt, expiresAt, how, who, holds, why);
    }

    /// The refusal of an answer that comes too late.
    ///
    /// @param how what has become of it; null if there was none
    public static SessionException notPending(String id, @Nullable State how) {
        return new SessionException(
                ErrorCode.NOT_FOUND,
                "There is no open question " + Quoted.of(id)
                        + (how == null
                                ? "; list the approvals to see which are."
                                : ": it is already " + how.label()
                                        + "."),
                how == null ? Map.of() : Map.of(STATE, how.label()));
    }
}
