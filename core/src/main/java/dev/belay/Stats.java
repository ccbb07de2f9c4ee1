package dev.belay;

import dev.belay.host.LoopStats;

/// Counts of one [Sessions] since it was made.
///
/// @param permitsUsed   permits out now
/// @param permitsLimit  permits there are
/// @param listed        sessions listed now: living and exited ones
/// @param opened        sessions opened
/// @param closed        sessions closed; `opened - closed` are still listed
/// @param rejected      opens that failed
/// @param leaked        permits that were dropped and had to be collected
/// @param bytesLogged   bytes of output taken into logs
/// @param bytesTaken    bytes of input that sessions took, whoever typed them; those of a write that was interrupted are not counted
/// @param bytesUnstored bytes of output that the disk refused; not zero means the disk is or was full
/// @param droppedEvents events that a slow observer never got
/// @param orphans       processes that killed instances had left, ended when these sessions were made
/// @param loop          how the host's loop does
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
        long bytesUnstored,
        long droppedEvents,
        int orphans,
        LoopStats loop) {}
