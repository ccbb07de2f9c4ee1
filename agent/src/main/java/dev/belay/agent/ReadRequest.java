package dev.belay.agent;

import dev.belay.SessionException;
import org.jspecify.annotations.Nullable;

/// A part of the output to read again: the parameters of `read_output`.
///
/// @param from            the offset to begin at; null: the oldest byte kept
/// @param tail            instead of `from`: so many last lines
/// @param maxOutputTokens how much output the answer may hold
/// @param stripAnsi       remove escape sequences and what progress bars have overwritten
public record ReadRequest(
        String sessionId,
        @Nullable Long from,
        @Nullable Integer tail,
        int maxOutputTokens,
        boolean stripAnsi) {
    public ReadRequest {
        if (from != null && tail != null) {
            throw SessionException.invalid("Give read_output either from or tail, not both.");
        }
        if (tail != null && tail < 1) {
            throw SessionException.invalid("tail is a number of lines, at least 1.");
        }
        ExecRequest.requireTokens(maxOutputTokens);
    }

    public static ReadRequest from(String sessionId, long offset) {
        return new ReadRequest(sessionId, offset, null, ExecRequest.DEFAULT_OUTPUT_TOKENS, false);
    }

    public static ReadRequest tail(String sessionId, int lines) {
        return new ReadRequest(sessionId, null, lines, ExecRequest.DEFAULT_OUTPUT_TOKENS, false);
    }

    public ReadRequest maxOutputTokens(int value) {
        return new ReadRequest(sessionId, from, tail, value, stripAnsi);
    }
}
