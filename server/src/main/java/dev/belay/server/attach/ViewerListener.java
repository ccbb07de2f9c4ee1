package dev.belay.server.attach;

/// Listens for viewers that come and go. Called on the threads that attach them and on their own; must be quick.
public interface ViewerListener {
    void came(Viewer viewer);

    void left(Viewer viewer, DetachReason why);
}
