package dev.belay;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The answers that apply to agents' conversations, until these end. Bounded: of too many, the one that was not used
/// for longest is forgotten, and its agent is asked again. The monitor guards everything.
final class ConversationAnswers {
    private static final int MAX_CONVERSATIONS = 1000;

    private final Map<String, SessionAnswers> all = new LinkedHashMap<>(16, 0.75f, true);

    synchronized void add(@Nullable String conversation, Remembered answer) {
        if (conversation != null) {
            all.computeIfAbsent(conversation, _ -> new SessionAnswers()).add(answer);
            if (all.size() > MAX_CONVERSATIONS) {
                all.remove(all.keySet().iterator().next());
            }
        }
    }

    /// The latest answer that applies to a program.
    synchronized Optional<Remembered> find(@Nullable String conversation, String owner, Execution execution) {
        SessionAnswers own = conversation == null ? null : all.get(conversation);
        return own == null ? Optional.empty() : own.find(owner, execution);
    }

    synchronized void forget(String conversation) {
        all.remove(conversation);
    }
}
