package dev.belay.linux;

import org.jspecify.annotations.Nullable;

/// The result of trying something that this machine may or may not support.
///
/// @param why the reason if it failed or was not tried; empty if it worked
public record Attempt(Result result, String why) {
    static final Attempt WORKED = new Attempt(Result.WORKED, "");

    public enum Result {
        WORKED,
        FAILED,
        NOT_TRIED
    }

    static Attempt failed(@Nullable String why) {
        return new Attempt(Result.FAILED, why == null ? "unknown reason" : why);
    }

    static Attempt notTried(@Nullable String why) {
        return new Attempt(Result.NOT_TRIED, why == null ? "unknown reason" : why);
    }

    public boolean worked() {
        return result == Result.WORKED;
    }
}
