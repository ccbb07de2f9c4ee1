package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/// Parses lines of `/proc/TID/syscall`.
class BlockedCallTest {
    @Test
    void aCallIsReadWithItsArguments() {
        BlockedCall call = BlockedCall.parse(
                "270 0x1 0x7ffc4cd0e0a0 0x0 0x0 0xffffffffffffffff 0x2 0x7ffc4cd0e018 0x7f2b1c0f3a2e\n");
        assertThat(call)
                .isEqualTo(new BlockedCall(270, List.of(1L, 0x7ffc4cd0e0a0L, 0L, 0L, -1L, 2L), 0x7ffc4cd0e018L));
        assertThat(call.narrow()).isFalse();
        assertThat(call.number(4)).isEqualTo(-1);
        assertThat(call.address(1)).isEqualTo(0x7ffc4cd0e0a0L);
    }

    @Test
    void aThreadThatRunsOrIsBlockedOtherwiseIsInNoCall() {
        assertThat(BlockedCall.parse("running\n")).isNull();
        assertThat(BlockedCall.parse("-1 0x7ffc4cd0e018 0x7f2b1c0f3a2e\n")).isNull();
    }

    @Test
    void aStackBelowFourGibMayBeThatOfA32BitProgram() {
        assertThat(BlockedCall.parse("3 0x0 0xffa1b2c0 0x400 0x0 0x0 0x0 0xffa1b290 0xf7f3c579\n").narrow()).isTrue();
        assertThat(BlockedCall.parse("0 0x0 0x1 0x400 0x0 0x0 0x0 0xffffdeadbeef 0x400123\n").narrow()).isFalse();
        assertThat(BlockedCall.parse("0 0x0 0x1 0x400 0x0 0x0 0x0 0xffffffffffffe000 0x400123\n").narrow()).isFalse();
    }
}
