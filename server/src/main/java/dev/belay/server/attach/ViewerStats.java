package dev.belay.server.attach;

/// Records what viewers do, for metrics. Called on the viewers' threads; must be quick.
public interface ViewerStats {
    void attached();

    void detached(DetachReason why);

    void sent(int bytes);

    /// The first output after somebody typed was sent.
    void echoed(long nanos);

    void gap(long lostBytes);

    void repainted(RepaintReason why, int bytes);
}
