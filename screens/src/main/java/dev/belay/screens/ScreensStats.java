package dev.belay.screens;

/// Counts of a [Screens].
///
/// @param warmScreens     screens kept ready
/// @param warmBytes       the memory that these take
/// @param checkpoints     folded screens
/// @param checkpointBytes the memory that those take
/// @param looks           looks, repaints and thumbnails so far
/// @param answers         questions answered so far
/// @param unanswered      questions that got no answer because they came too late, too often, or at a prompt
/// @param lateScans       how often output was skipped because scanning it would have come too late
/// @param masks           viewers that get masked output now
public record ScreensStats(
        int warmScreens,
        long warmBytes,
        int checkpoints,
        long checkpointBytes,
        long looks,
        long answers,
        long unanswered,
        long lateScans,
        int masks) {}
