package dev.belay.server.attach;

import dev.belay.OutputLog;
import dev.belay.OutputLog.Resize;
import dev.belay.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The sizes of a session's terminal, as they are sent to one viewer. Used by the viewer's sender.
final class SizesTold {
    private final OutputLog log;
    private @Nullable Resize told;

    SizesTold(OutputLog log) {
        this.log = log;
    }

    /// The viewer begins at an offset.
    ///
    /// @return the size there; null for pipes
    @Nullable Size begin(long offset) {
        Resize found = null;
        for (Resize resize : log.resizes()) {
            if (found == null || resize.offset() <= offset) {
                found = resize;
            }
        }
        told = found;
        return found == null ? null : found.size();
    }

    /// The viewer was sent a repaint of a size at an offset. Of sizes that began at the same offset, those that the
    /// repaint does not have yet still have to be sent.
    void repainted(long offset, Size size) {
        begin(offset);
        for (Resize resize : log.resizes()) {
            if (resize.offset() <= offset && resize.size().equals(size)) {
                told = resize;
            }
        }
    }

    void told(Resize now) {
        told = now;
    }

    /// The next size to send, or null.
    @Nullable Resize next() {
        Resize last = told;
        if (last == null) {
            return null;
        }
        List<Resize> all = log.resizes();
        int index = all.lastIndexOf(last);
        if (index >= 0) {
            return index + 1 < all.size() ? all.get(index + 1) : null;
        }
        // So many that the one sent last is forgotten.
        return all.stream().filter(resize -> resize.offset() >= last.offset()).findFirst().orElse(null);
    }

    /// Whether this is the newest size, or there is none.
    boolean isNow(Size size) {
        List<Resize> all = log.resizes();
        return all.isEmpty() || all.getLast().size().equals(size);
    }
}
