package dev.belay;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a watched session remembers: answers that apply to it, what was refused recently, and what its agent does not
/// know yet. Small and bounded; the monitor guards everything.
final class SessionAnswers {
    private static final int MAX_ANSWERS = 1000;
    /// More than the processes that may be refused at once, each while it searches along PATH.
    private static final int MAX_REFUSED = 4096;
    private static final int MAX_NEWS = 32;
    private static final int MAX_ENV = 64;

    private final List<Remembered> answers = new ArrayList<>();
    private final Set<Refused> refused = new LinkedHashSet<>();
    private final Deque<Approval> news = new ArrayDeque<>();
    /// By process, the words with which `env` goes on.
    private final Map<Long, Next> goesOn = new LinkedHashMap<>();

    /// What `env` goes on with, and the rule that asked.
    private record Next(List<String> words, @Nullable String rule) {}

    /// How many questions there have been, and how many of them its agent knows.
    private int asked;
    private int askedKnown;

    /// Programs are the same for one process if they have the same name and words: after a refusal, shells try the rest
    /// of PATH. Words can be long, so only their hash is kept.
    private record Refused(long pid, int words, int hash) {}

    /// Somebody is asked about one of its programs.
    synchronized void asked() {
        asked++;
    }

    /// Its agent knows all questions.
    synchronized void known() {
        askedKnown = asked;
    }

    synchronized boolean allKnown() {
        return asked == askedKnown;
    }

    synchronized void add(Remembered answer) {
        if (answers.size() < MAX_ANSWERS) {
            answers.addFirst(answer);
        }
    }

    /// The latest answer that applies to a program.
    ///
    /// @param owner the owner of the session that starts it
    synchronized Optional<Remembered> find(String owner, Execution execution) {
        return answers.stream().filter(answer -> answer.fits(owner, execution)).findFirst();
    }

    /// Notes a refusal.
    ///
    /// @return false if the same was refused to the same process before
    synchronized boolean refused(Execution execution) {
        boolean first = refused.add(key(execution));
        if (refused.size() > MAX_REFUSED) {
            refused.remove(refused.iterator().next());
        }
        return first;
    }

    synchronized boolean refusedBefore(Execution execution) {
        return refused.contains(key(execution));
    }

    private static Refused key(Execution execution) {
        List<String> words = execution.first().words();
        return new Refused(execution.pid(), words.size(), words.hashCode());
    }

    /// Notes that a program was approved. The `env` of a line such as `#!/usr/bin/env node` starts the interpreter
    /// next, which is no other question.
    synchronized void allowed(long pid, Execution execution, @Nullable String rule) {
        Execution.Image last = execution.images().getLast();
        if (execution.images().size() > 1 && last.name().equals("env") && last.whole()) {
            goesOn.put(pid, new Next(List.copyOf(last.words().subList(1, last.words().size())), rule));
            if (goesOn.size() > MAX_ENV) {
                goesOn.remove(goesOn.keySet().iterator().next());
            }
        }
    }

    /// Whether this is what the process was approved for: `env` goes on with it. Says so once. Another rule asks again.
    synchronized boolean goesOn(Execution execution, @Nullable String rule) {
        Next next = goesOn.remove(execution.pid());
        return next != null && execution.first().whole() && execution.first().words().equals(next.words())
                && Objects.equals(rule, next.rule());
    }

    synchronized void note(Approval refusal) {
        news.add(refusal);
        if (news.size() > MAX_NEWS) {
            news.remove();
        }
    }

    /// The refusals that were not taken yet.
    synchronized List<Approval> takeNews() {
        List<Approval> taken = List.copyOf(news);
        news.clear();
        return taken;
    }
}
