package dev.belay;

/// Output that was printed while somebody had the keyboard privately: only they and admins may read it.
///
/// @param holder who had the keyboard
/// @param from   the offset of its first byte
/// @param to     the offset after its last byte; `Long.MAX_VALUE` while it lasts
public record PrivateRange(String holder, long from, long to) {
    /// Whether an actor may not read it. No agent may.
    public boolean hides(Actor actor) {
        return hides(holder, actor);
    }

    /// Whether an actor may not read what was printed while a holder had the keyboard privately.
    public static boolean hides(String holder, Actor actor) {
        return actor.agent() || (!actor.admin() && !actor.is(holder));
    }
}
