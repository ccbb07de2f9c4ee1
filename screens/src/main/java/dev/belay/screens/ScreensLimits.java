package dev.belay.screens;

import dev.belay.SessionException;
import dev.belay.screen.Colours;
import dev.belay.screen.ScreenLimits;
import java.time.Duration;

/// What screens may use, and how they answer. Start with [#DEFAULT] and refine.
///
/// @param warmBytes        memory of all screens that are kept ready (32 MiB)
/// @param warmFor          how long a screen stays ready after its last use (30 s)
/// @param lateAfter        a question that was asked longer ago than this gets no answer (500 ms)
/// @param lateBytes        most output scanned at once; if there is more, only its end is scanned (1 MiB)
/// @param repliesPerSecond answers to one session (64)
/// @param replyWithin      how long an answer waits for a program to leave the terminal's line mode (200 ms)
/// @param thumbnailEvery   the shortest time between two thumbnails of a session (500 ms)
/// @param colours          the colours reported to programs if no viewer has reported its own
/// @param screen           the limits of one screen
public record ScreensLimits(
        long warmBytes,
        Duration warmFor,
        Duration lateAfter,
        int lateBytes,
        int repliesPerSecond,
        Duration replyWithin,
        Duration thumbnailEvery,
        Colours colours,
        ScreenLimits screen) {
    public static final ScreensLimits DEFAULT = new ScreensLimits(
            32 << 20,
            Duration.ofSeconds(30),
            Duration.ofMillis(500),
            1 << 20,
            64,
            Duration.ofMillis(200),
            Duration.ofMillis(500),
            Colours.defaults(),
            ScreenLimits.defaults());

    public ScreensLimits {
        require(warmBytes >= 0, "warmBytes cannot be negative");
        require(!warmFor.isNegative(), "warmFor cannot be negative");
        require(lateAfter.isPositive(), "lateAfter must be longer than zero");
        require(lateBytes >= 4096, "lateBytes must be at least 4096");
        require(repliesPerSecond >= 0, "repliesPerSecond cannot be negative");
        require(!replyWithin.isNegative(), "replyWithin cannot be negative");
        require(thumbnailEvery.isPositive(), "thumbnailEvery must be longer than zero");
    }

    public ScreensLimits warmBytes(long value) {
        return new ScreensLimits(
                value, warmFor, lateAfter, lateBytes, repliesPerSecond, replyWithin, thumbnailEvery, colours, screen);
    }

    public ScreensLimits warmFor(Duration value) {
        return new ScreensLimits(
                warmBytes, value, lateAfter, lateBytes, repliesPerSecond, replyWithin, thumbnailEvery, colours, screen);
    }

    public ScreensLimits lateAfter(Duration value) {
        return new ScreensLimits(
                warmBytes, warmFor, value, lateBytes, repliesPerSecond, replyWithin, thumbnailEvery, colours, screen);
    }

    public ScreensLimits lateBytes(int value) {
        return new ScreensLimits(
                warmBytes, warmFor, lateAfter, value, repliesPerSecond, replyWithin, thumbnailEvery, colours, screen);
    }

    public ScreensLimits repliesPerSecond(int value) {
        return new ScreensLimits(
                warmBytes, warmFor, lateAfter, lateBytes, value, replyWithin, thumbnailEvery, colours, screen);
    }

    public ScreensLimits replyWithin(Duration value) {
        return new ScreensLimits(
                warmBytes, warmFor, lateAfter, lateBytes, repliesPerSecond, value, thumbnailEvery, colours, screen);
    }

    public ScreensLimits thumbnailEvery(Duration value) {
        return new ScreensLimits(
                warmBytes, warmFor, lateAfter, lateBytes, repliesPerSecond, replyWithin, value, colours, screen);
    }

    public ScreensLimits colours(Colours value) {
        return new ScreensLimits(
                warmBytes, warmFor, lateAfter, lateBytes, repliesPerSecond, replyWithin, thumbnailEvery, value, screen);
    }

    public ScreensLimits screen(ScreenLimits value) {
        return new ScreensLimits(
                warmBytes, warmFor, lateAfter, lateBytes, repliesPerSecond, replyWithin, thumbnailEvery, colours,
                value);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw SessionException.invalid(message + ".");
        }
    }
}
