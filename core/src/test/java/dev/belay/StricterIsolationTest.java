package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class StricterIsolationTest {
    private static final Isolation REQUEST = Isolation.NONE.tier(Tier.SANDBOX);

    @Test
    void ofEachPartTheStricterHolds() {
        Isolation one = Isolation.SANDBOX.hidden(List.of(Path.of("/etc/a"))).tmpBytes(10).network(new Network.On());
        Isolation other = Isolation.SANDBOX.hidden(List.of(Path.of("/etc/b"))).tmpBytes(20).readOnly(true)
                .protectedPaths(List.of("src"));
        Isolation both = one.within(other);
        assertThat(both.hidden()).containsExactlyInAnyOrder(Path.of("/etc/a"), Path.of("/etc/b"));
        assertThat(both.tmpBytes()).isEqualTo(10);
        assertThat(both.readOnly()).isTrue();
        assertThat(both.network()).isEqualTo(new Network.Off());
        assertThat(both.protectedPaths()).contains("src").containsAll(Isolation.PROTECTED);
    }

    @Test
    void whatSettingsHideAndProtectHoldsForASandboxThatARequestAsksFor() {
        Isolation settings = Isolation.LIMITS.hidden(List.of(Path.of("/etc/a"))).protectedPaths(List.of("src"))
                .tmpBytes(10);
        Isolation asked = REQUEST.network(new Network.On()).within(settings);
        assertThat(asked.tier()).isEqualTo(Tier.SANDBOX);
        assertThat(asked.network()).isEqualTo(new Network.On());
        assertThat(asked.hidden()).containsExactly(Path.of("/etc/a"));
        assertThat(asked.protectedPaths()).containsExactly("src");
        assertThat(asked.tmpBytes()).isEqualTo(10);
        assertThat(Isolation.NONE.within(settings).within(Isolation.SANDBOX).hidden()).isEqualTo(asked.hidden());
    }

    @Test
    void aRequestProtectsWhatTheMinimumLists() {
        assertThat(REQUEST.within(Isolation.STANDARD).protectedPaths()).isEqualTo(Isolation.PROTECTED);
        assertThat(REQUEST.within(Isolation.NONE).protectedPaths()).isEmpty();
        assertThat(REQUEST.within(Isolation.SANDBOX.protectedPaths(List.of())).protectedPaths()).isEmpty();
        assertThat(Isolation.NONE.within(Isolation.NONE)).isEqualTo(Isolation.NONE);
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        assertThatThrownBy(() -> Isolation.SANDBOX.hidden(List.of(Path.of("etc")))).hasMessageContaining("absolute");
        assertThatThrownBy(() -> Isolation.SANDBOX.tmpBytes(0)).hasMessageContaining("/tmp");
    }
}
