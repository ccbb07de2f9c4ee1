package dev.belay.server.attach;

import dev.belay.PrivateRange;
import dev.belay.Session;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Who has the keyboard of a session at one moment.
///
/// @param holder    null: nobody
/// @param isPrivate whether others see what is printed meanwhile as a gap
public record KeyboardHold(@Nullable String holder, boolean isPrivate) {
    public static final KeyboardHold FREE = new KeyboardHold(null, false);

    /// As it is now.
    public static KeyboardHold of(Session session) {
        Optional<String> holder = session.keyboardHolder();
        List<PrivateRange> ranges = session.output().privateRanges();
        return holder.isEmpty()
                ? FREE
                : new KeyboardHold(holder.get(), !ranges.isEmpty() && ranges.getLast().to() == Long.MAX_VALUE);
    }
}
