package dev.belay.agent;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Input for a session: the parameters of `write_stdin`. Without characters and keys it is a poll.
///
/// @param chars           characters, sent exactly as they are
/// @param keys            keys by name, pressed after the characters
/// @param paste           send the characters as a paste rather than as if typed
/// @param yieldTimeMs     how long the call waits at most; null: the default for what it waits for
/// @param maxOutputTokens how much output the answer may contain
/// @param waitFor         what to wait for; null: an answer
/// @param view            how output is shown
public record WriteRequest(
        String sessionId,
        String chars,
        List<String> keys,
        boolean paste,
        @Nullable Integer yieldTimeMs,
        int maxOutputTokens,
        @Nullable WaitFor waitFor,
        View view) {
    public WriteRequest {
        keys = List.copyOf(keys);
        ExecRequest.requireTime("yield_time_ms", yieldTimeMs);
        ExecRequest.requireTokens(maxOutputTokens);
    }

    /// Characters to send; none to see new output.
    public static WriteRequest to(String sessionId, String chars) {
        return new WriteRequest(
                sessionId, chars, List.of(), false, null, ExecRequest.DEFAULT_OUTPUT_TOKENS, null, View.AUTO);
    }

    public WriteRequest keys(String... value) {
        return new WriteRequest(sessionId, chars, List.of(value), paste, yieldTimeMs, maxOutputTokens, waitFor,
                view);
    }

    public WriteRequest pasted() {
        return new WriteRequest(sessionId, chars, keys, true, yieldTimeMs, maxOutputTokens, waitFor, view);
    }

    public WriteRequest yieldTimeMs(int value) {
        return new WriteRequest(sessionId, chars, keys, paste, value, maxOutputTokens, waitFor, view);
    }

    public WriteRequest maxOutputTokens(int value) {
        return new WriteRequest(sessionId, chars, keys, paste, yieldTimeMs, value, waitFor, view);
    }

    public WriteRequest waitFor(WaitFor value) {
        return new WriteRequest(sessionId, chars, keys, paste, yieldTimeMs, maxOutputTokens, value, view);
    }

    public WriteRequest view(View value) {
        return new WriteRequest(sessionId, chars, keys, paste, yieldTimeMs, maxOutputTokens, waitFor, value);
    }

    boolean isPoll() {
        return chars.isEmpty() && keys.isEmpty();
    }
}
