package dev.belay;

import dev.belay.host.LoopStats;

/// Counts of one [Sessions] since it was created.
///
/// @param permitsUsed   permits in use
/// @param permitsLimit  how many permits there are
/// @param listed        sessions in the list, running or exited
/// @param opened        sessions opened
/// @param closed        sessions closed; `opened - closed` are still listed
/// @param rejected      opens that failed
/// @param leaked        permits that the garbage collector had to give back
/// @param bytesLogged   bytes of output appended to logs
/// @param bytesTaken    bytes of input that sessions accepted
/// @param inputsRepeated inputs sent again by [Session#writeOnce] and not written again
/// @param bytesUnstored bytes of output that the disk refused, usually because it was full
/// @param droppedEvents events that were dropped because an observer was too slow
/// @param orphans       processes left by killed instances and ended at the start
/// @param loop          how busy the host's loop is
public record Stats(
        int permitsUsed,
        int permitsLimit,
        int listed,
        long opened,
        long closed,
        long rejected,
        long leaked,
        long bytesLogged,
        long bytesTaken,
        long inputsRepeated,
        long bytesUnstored,
        long droppedEvents,
        int orphans,
        LoopStats loop) {}
