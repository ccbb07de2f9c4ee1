package dev.belay.cli;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// A test of the real command, in a folder of its own.
abstract class WithBelay {
    @TempDir
    Path folder;

    Belay belay;

    @BeforeEach
    void newBelay() {
        belay = new Belay(folder);
    }
}
