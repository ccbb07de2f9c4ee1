package dev.belay.linux;

import org.jspecify.annotations.Nullable;

/// Something the machine may or may not do, and what came of trying it.
///
/// @param why the reason if it failed or was not tried; empty if it worked
public record Trial(Result result, String why) {
    static final Trial WORKED = new Trial(Result.WORKED, "");

    /// What came of it.
    public enum Result {
        WORKED,
        FAILED,
        NOT_TRIED
    }

    static Trial failed(@Nullable String why) {
        return new Trial(Result.FAILED, why == null ? "for no known reason" : why);
    }

    static Trial notTried(@Nullable String why) {
        return new Trial(Result.NOT_TRIED, why == null ? "for no known reason" : why);
    }

    public boolean worked() {
        return result == Result.WORKED;
    }
}
