package dev.belay;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What is known about a session at one moment. Every front door shows this record.
///
/// @param command        the program
/// @param args           its arguments
/// @param workdir        relative to the workspace, `.` for its root
/// @param origin         how it was opened
/// @param keep           whether it keeps running after its owner's clients have disconnected
/// @param cols           columns of the terminal, null for pipes
/// @param rows           rows of the terminal, null for pipes
/// @param exitCode       the leader's exit code, 128 + n for death by signal n; null while it lives
/// @param signal         the name of the signal that killed the leader, if one did
/// @param survivors      processes that hold the terminal or a pipe although the leader is dead
/// @param outputStart    the offset of the oldest byte still kept
/// @param outputEnd      the offset after the newest byte
/// @param lastActivityAt the time of the last input or output, or of the last read or wait by somebody who may write
/// @param endReason      why the session ended, null while it runs
/// @param guard          its restrictions, and what enforces them; null if there are none
public record SessionRecord(
        String id,
        String backend,
        String command,
        List<String> args,
        String workdir,
        @Nullable Integer cols,
        @Nullable Integer rows,
        long pid,
        String owner,
        Map<String, String> labels,
        Origin origin,
        boolean keep,
        Instant startedAt,
        @Nullable Instant endedAt,
        SessionState state,
        @Nullable Integer exitCode,
        @Nullable String signal,
        int survivors,
        long outputStart,
        long outputEnd,
        Instant lastActivityAt,
        @Nullable EndReason endReason,
        @Nullable Guarded guard) {}
