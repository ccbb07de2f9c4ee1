package dev.belay.server.attach;

/// Hears of viewers that come and go. Called on the threads that attach them and on their own; it is quick.
public interface ViewerListener {
    void came(Viewer viewer);

    void left(Viewer viewer, DetachReason why);
}
