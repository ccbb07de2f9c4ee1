package dev.belay.server.attach;

import java.util.Locale;

/// Why a viewer is sent a repaint.
public enum RepaintReason {
    /// Its view begins with it.
    ATTACH(0),
    /// It has missed output.
    GAP(1),
    /// There was more output than it wants.
    SKIP(2);

    private final int flag;

    RepaintReason(int flag) {
        this.flag = flag;
    }

    /// The flag on the wire.
    public int flag() {
        return flag;
    }

    /// The name on the wire.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
