package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.belay.access.Capacity;
import java.io.FileInputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MachineCapacityTest {
    @Test
    void everyFileThatBelayOpensCounts() throws Exception {
        List<FileInputStream> opened = new ArrayList<>();
        int before = MachineCapacity.openFiles();
        try {
            for (int i = 0; i < 100; i++) {
                opened.add(new FileInputStream("/dev/null"));
            }
            // The JVM may open or close a few of its own meanwhile.
            assertThat(MachineCapacity.openFiles()).isCloseTo(before + 100, within(10));
        } finally {
            for (FileInputStream one : opened) {
                one.close();
            }
        }
    }

    @Test
    void theTightestLimitIsNamedAndSessionsThatRunAreIncluded() {
        Capacity full = new MachineCapacity(() -> 1_000_000).get();
        assertThat(full.reason()).matches("(open files|memory|terminals) \\(.*\\)");
        assertThat(full.sessions()).isGreaterThanOrEqualTo(1_000_000);
    }
}
