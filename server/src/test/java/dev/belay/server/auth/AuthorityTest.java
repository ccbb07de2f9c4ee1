package dev.belay.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.SessionException;
import dev.belay.server.ServerSettings;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Tokens, tickets and addresses, by the test's own clock.
class AuthorityTest {
    private final AtomicLong clock = new AtomicLong();
    private final ServerSettings settings = ServerSettings.DEFAULT.accounts(
            List.of(new Account("alice", Role.USER, List.of(TokenHash.of("secret")), null)));
    private final Authority authority = new Authority(settings, clock::get);
    private final InetAddress far = address(203, 0, 113, 7);
    private final InetAddress near = InetAddress.getLoopbackAddress();

    private static InetAddress address(int... parts) {
        byte[] bytes = new byte[parts.length];
        for (int i = 0; i < parts.length; i++) {
            bytes[i] = (byte) parts[i];
        }
        try {
            return InetAddress.getByAddress(bytes);
        } catch (java.net.UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private void after(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    @Test
    void aTicketIsTooOldAfterThirtySecondsAndTheConsolesAfterTenMinutes() {
        Login login = authority.token("secret", near);
        String ticket = authority.ticket(login).text();
        String console = authority.consoleTicket(login).text();
        after(Duration.ofSeconds(31));
        assertThatThrownBy(() -> authority.ticket(ticket, near)).hasMessageContaining("too old");
        assertThat(authority.ticket(console, near).name()).isEqualTo("alice");
        String other = authority.consoleTicket(login).text();
        after(Duration.ofMinutes(11));
        assertThatThrownBy(() -> authority.ticket(other, near)).isInstanceOf(SessionException.class);
    }

    @Test
    void aTabThatIsUsedStaysSignedInAndOneThatIsNotDoesNot() {
        String tab = authority.tab(authority.token("secret", near)).text();
        for (int i = 0; i < 5; i++) {
            after(Duration.ofHours(11));
            assertThat(authority.token(tab, near).name()).isEqualTo("alice");
        }
        after(Duration.ofHours(13));
        assertThatThrownBy(() -> authority.token(tab, near)).hasMessageContaining("not known");
    }

    @Test
    void anAddressWithTooManyFailuresIsRefusedWhateverItShowsAndOthersAreNot() {
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> authority.token("guess", far)).hasMessageContaining("not known");
        }
        assertThatThrownBy(() -> authority.token("secret", far)).hasMessageContaining("Too many failed");
        assertThat(authority.token("secret", address(203, 0, 113, 8)).name()).isEqualTo("alice");
        after(Duration.ofMinutes(1));
        assertThat(authority.token("secret", far).name()).isEqualTo("alice");
        assertThat(authority.failures()).isEqualTo(20);
        assertThat(authority.refused()).isEqualTo(1);
    }

    @Test
    void aLoginWhoseRoleHasChangedIsNoLongerGood() {
        Login login = authority.token("secret", near);
        assertThat(authority.current(login)).isPresent();
        authority.reload(settings.accounts(
                List.of(new Account("alice", Role.WATCH, List.of(TokenHash.of("secret")), null))));
        assertThat(authority.current(login)).isEmpty();
    }

    @Test
    void aHashIsReadBackAndNeverShowsTheToken() {
        TokenHash hash = TokenHash.of("secret");
        assertThat(TokenHash.parse(hash.text())).isEqualTo(hash);
        assertThat(hash.text()).doesNotContain("secret");
        assertThatThrownBy(() -> TokenHash.parse("sha256:12")).isInstanceOf(SessionException.class);
        assertThatThrownBy(() -> TokenHash.parse("secret")).isInstanceOf(SessionException.class);
    }
}
