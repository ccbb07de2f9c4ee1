package dev.belay.agent;

import dev.belay.SessionException;
import org.jspecify.annotations.Nullable;

/// A part of the output to read again: the parameters of `read_output`.
///
/// @param from            the offset to begin at; null: the oldest byte kept
/// @param tail            instead of `from`: this many of the last lines
/// @param match           only lines that match this regular expression (RE2), each with its offset
/// @param maxOutputTokens how much output the answer may contain
/// @param view            how output is shown
public record ReadRequest(
        String sessionId,
        @Nullable Long from,
        @Nullable Integer tail,
        @Nullable String match,
        int maxOutputTokens,
        View view) {
    public ReadRequest {
        if (from != null && tail != null) {
            throw SessionException.invalid("Give read_output either from or tail, not both.");
        }
        if (tail != null && tail < 1) {
            throw SessionException.invalid("tail must be at least 1; it is a number of lines.");
        }
        if (match != null && tail != null) {
            throw SessionException.invalid("Give read_output either match or tail, not both.");
        }
        if (match != null && view == View.SCREEN) {
            throw SessionException.invalid("match searches the output, not the screen; leave out view.");
        }
        ExecRequest.requireTokens(maxOutputTokens);
    }

    public static ReadRequest from(String sessionId, long offset) {
        return new ReadRequest(sessionId, offset, null, null, ExecRequest.DEFAULT_OUTPUT_TOKENS, View.AUTO);
    }

    public static ReadRequest tail(String sessionId, int lines) {
        return new ReadRequest(sessionId, null, lines, null, ExecRequest.DEFAULT_OUTPUT_TOKENS, View.AUTO);
    }

    public static ReadRequest match(String sessionId, String regex) {
        return new ReadRequest(sessionId, null, null, regex, ExecRequest.DEFAULT_OUTPUT_TOKENS, View.AUTO);
    }

    public ReadRequest maxOutputTokens(int value) {
        return new ReadRequest(sessionId, from, tail, match, value, view);
    }

    public ReadRequest view(View value) {
        return new ReadRequest(sessionId, from, tail, match, maxOutputTokens, value);
    }
}
