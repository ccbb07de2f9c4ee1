package dev.belay.server.attach;

import dev.belay.ErrorCode;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// Writes input once, however often it is sent: an input with an id that a session has had is not written again, and
/// answered as it was the first time. The last 1,024 ids of a session are known.
public final class Inputs {
    /// How many ids of a session are known.
    public static final int REMEMBERED = 1024;

    private static final int MAX_ID_CHARS = 128;

    private final Sessions sessions;
    private final ConcurrentHashMap<String, Memory> memories = new ConcurrentHashMap<>();
    private final LongAdder repeated = new LongAdder();

    public Inputs(Sessions sessions) {
        this.sessions = sessions;
    }

    /// The ids of one session, known by its spec: another session may get the same id later.
    private static final class Memory {
        final SessionSpec spec;
        private final Map<String, CompletableFuture<Integer>> taken = new LinkedHashMap<>();

        Memory(SessionSpec spec) {
            this.spec = spec;
        }

        /// The answer of an earlier input of that id, or null: then the one given is the answer from here on.
        synchronized @Nullable CompletableFuture<Integer> putIfAbsent(String id, CompletableFuture<Integer> answer) {
            CompletableFuture<Integer> earlier = taken.putIfAbsent(id, answer);
            if (taken.size() > REMEMBERED) {
                taken.remove(taken.keySet().iterator().next());
            }
            return earlier;
        }

        synchronized void forget(String id, CompletableFuture<Integer> answer) {
            taken.remove(id, answer);
        }
    }

    /// Writes, or gives the answer that the same input had. May wait, as [Session#write(byte[])] does.
    ///
    /// @return how many bytes were taken
    public int write(Session session, byte[] input, @Nullable String inputId) throws InterruptedException {
        if (inputId == null) {
            return session.write(input);
        }
        if (inputId.isEmpty() || inputId.length() > MAX_ID_CHARS) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST, "An input_id has 1 to " + MAX_ID_CHARS + " characters.");
        }
        Memory memory = memory(session);
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        CompletableFuture<Integer> earlier = memory.putIfAbsent(inputId, answer);
        if (earlier != null) {
            repeated.increment();
            return answerOf(earlier);
        }
        try {
            int taken = session.write(input);
            answer.complete(taken);
            return taken;
        } catch (SessionException | InterruptedException e) {
            // Nothing was written: it may be tried again.
            memory.forget(inputId, answer);
            answer.completeExceptionally(e);
            throw e;
        }
    }

    private static int answerOf(CompletableFuture<Integer> earlier) throws InterruptedException {
        try {
            return earlier.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SessionException refusal) {
                throw refusal;
            }
            throw new SessionException(
                    ErrorCode.UNAVAILABLE, "The same input was interrupted a moment ago; send it again.");
        }
    }

    private Memory memory(Session session) {
        SessionSpec spec = session.spec();
        Memory known = memories.get(session.id());
        if (known != null && isOf(known, spec)) {
            return known;
        }
        memories.entrySet().removeIf(entry -> sessions.find(entry.getKey())
                .filter(live -> isOf(entry.getValue(), live.spec()))
                .isEmpty());
        return memories.compute(
                session.id(), (_, now) -> now != null && isOf(now, spec) ? now : new Memory(spec));
    }

    @SuppressWarnings("ReferenceEquality")
    private static boolean isOf(Memory memory, SessionSpec spec) {
        return memory.spec == spec;
    }

    /// Inputs that were sent again and not written again.
    public long repeated() {
        return repeated.sum();
    }
}
