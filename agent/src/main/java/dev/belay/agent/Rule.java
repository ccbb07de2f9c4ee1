package dev.belay.agent;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.belay.ExecPolicy.Action;
import dev.belay.Execution;
import dev.belay.Quoted;
import dev.belay.SessionException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One rule for commands. It matches a simple command, or a program that is about to start, if all of its parts do.
///
/// @param programs   names of programs without their folder, or paths without links; none: any
/// @param match      a regular expression to find in the words of the command, joined by spaces; null: any
/// @param args       the first arguments, exactly; none: any
/// @param has        arguments, of which the command must have at least one, in any place; none: any
/// @param workdir    the folder that the program would run in, or one above it; null: any. For programs only
/// @param principals owners of sessions; none: any. For programs only
public record Rule(String name, Action action, List<String> programs, @Nullable Pattern match, List<String> args,
        List<String> has, @Nullable String workdir, List<String> principals) {
    public Rule {
        programs = List.copyOf(programs);
        args = List.copyOf(args);
        has = List.copyOf(has);
        principals = List.copyOf(principals);
        if (programs.isEmpty() && match == null && has.isEmpty()) {
            throw SessionException.invalid(
                    "Rule " + Quoted.of(name) + " needs programs, has or match.");
        }
        if (action == Action.ALLOW && !has.isEmpty()) {
            throw SessionException.invalid("Rule " + Quoted.of(name)
                    + " allows, so use args instead of has, which would allow any other arguments too.");
        }
        if (workdir != null && !workdir.startsWith("/")) {
            throw SessionException.invalid("The workdir of rule " + Quoted.of(name) + " must be an absolute path.");
        }
    }

    /// A rule that allows or denies; see [#of(String, Action, List, String)].
    public static Rule of(String name, boolean allow, List<String> programs, @Nullable String match) {
        return of(name, allow ? Action.ALLOW : Action.DENY, programs, match);
    }

    /// A rule for any arguments, folder and principal, whose expression is still text.
    public static Rule of(String name, Action action, List<String> programs, @Nullable String match) {
        return of(name, action, programs, match, List.of(), List.of(), null, List.of());
    }

    /// A rule whose expression is still text.
    ///
    /// @param match a regular expression (RE2)
    public static Rule of(String name, Action action, List<String> programs, @Nullable String match, List<String> args,
            List<String> has, @Nullable String workdir, List<String> principals) {
        try {
            Pattern expression = match == null ? null : Pattern.compile(match);
            return new Rule(name, action, programs, expression, args, has, workdir, principals);
        } catch (PatternSyntaxException e) {
            throw SessionException.invalid("The expression " + Quoted.of(String.valueOf(match)) + " of rule "
                    + Quoted.of(name) + " is not valid: " + e.getDescription() + ".");
        }
    }

    /// Whether it applies to the text of a command, before it is known where and for whom it would run.
    boolean ofText() {
        return workdir == null && principals.isEmpty();
    }

    boolean fits(CommandText.Part part) {
        return ofText()
                && (programs.isEmpty() || programs.contains(part.program()))
                && fits(part.words(), true);
    }

    /// Whether it matches a program that is about to start.
    boolean fits(String owner, Execution execution, Execution.Image image) {
        return (principals.isEmpty() || principals.contains(owner))
                && (workdir == null || within(execution.workdir(), workdir))
                && (programs.isEmpty() || programs.stream().anyMatch(one -> isProgram(one, image)))
                && (action != Action.ALLOW || mayBeAllowed(execution, image))
                && fits(called(image), image.whole());
    }

    private static boolean within(String folder, String above) {
        return folder.equals(above) || folder.startsWith(above.endsWith("/") ? above : above + "/");
    }

    /// A bare name allows only files that the session cannot change: otherwise any file could be called that.
    private boolean mayBeAllowed(Execution execution, Execution.Image image) {
        boolean byPath = programs.contains(image.program());
        return image.named() && !execution.foreignLoader() && (byPath || !image.writable());
    }

    private boolean isProgram(String one, Execution.Image image) {
        if (one.indexOf('/') >= 0) {
            return one.equals(image.program());
        }
        // A link, or a name that the caller made up, is no way around a rule that asks or denies.
        return one.equals(image.name()) || (action != Action.ALLOW && one.equals(calledName(image)));
    }

    private static String calledName(Execution.Image image) {
        String first = image.words().isEmpty() ? "" : image.words().getFirst();
        return first.substring(first.lastIndexOf('/') + 1);
    }

    private static List<String> called(Execution.Image image) {
        List<String> words = new ArrayList<>(image.words());
        if (words.isEmpty()) {
            words.add(image.name());
        } else {
            words.set(0, image.name());
        }
        return words;
    }

    /// @param whole false if there are more words: then a rule that asks or denies matches, to be safe
    private boolean fits(List<String> words, boolean whole) {
        List<String> arguments = words.subList(Math.min(1, words.size()), words.size());
        boolean suspected = !whole && action != Action.ALLOW;
        boolean known = whole || action != Action.ALLOW || (match == null && has.isEmpty());
        return known
                && (args.isEmpty() || Collections.indexOfSubList(arguments, args) == 0)
                && (has.isEmpty() || suspected || has.stream().anyMatch(arguments::contains))
                && (match == null || suspected || match.matcher(String.join(" ", words)).find());
    }
}
