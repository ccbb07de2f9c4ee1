package dev.belay.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.SessionException;
import dev.belay.access.Role;
import dev.belay.server.settings.Account;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.TokenHash;
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
    private final Authority authority = new Authority(settings, dev.belay.server.logs.EventLog.none(), clock::get);
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
        assertThatThrownBy(() -> authority.ticket(ticket, near)).hasMessageContaining("expired");
        assertThat(authority.ticket(console, near).name()).isEqualTo("alice");
        String other = authority.consoleTicket(login).text();
        after(Duration.ofMinutes(11));
        assertThatThrownBy(() -> authority.ticket(other, near)).isInstanceOf(SessionException.class);
    }

    @Test
    void anEmptyTokenIsNobodys() {
        assertThatThrownBy(() -> new Account("bob", Role.USER, List.of(TokenHash.of("")), null))
                .hasMessageContaining("the hash of an empty token", "belay token");
        assertThatThrownBy(() -> TokenHash.parse(TokenHash.of("").text()))
                .hasMessageContaining("the hash of an empty token");
        assertThatThrownBy(() -> authority.token("", near)).hasMessageContaining("Unknown token");
        assertThatThrownBy(() -> authority.ticket("", near)).hasMessageContaining("expired");
    }

    /// `echo "$TOKEN" | sha256sum` with a variable that is not set; a client may send any text as its token.
    @Test
    void aBlankTokenIsNobodys() {
        assertThatThrownBy(() -> TokenHash.parse(TokenHash.of("\n").text()))
                .hasMessageContaining("the hash of an empty token");
        authority.reload(settings.accounts(
                List.of(new Account("bob", Role.USER, List.of(TokenHash.of(" ")), null))));
        assertThatThrownBy(() -> authority.token(" ", near)).hasMessageContaining("Unknown token");
    }

    @Test
    void aTokenOfTwoPrincipalsIsRefusedAndChangesNothing() {
        ServerSettings shared = settings.accounts(List.of(
                new Account("bob", Role.USER, List.of(TokenHash.of("shared")), null),
                new Account("admin", Role.ADMIN, List.of(TokenHash.of("shared")), null)));
        assertThatThrownBy(() -> authority.reload(shared)).hasMessageContaining("bob and admin have the same token");
        assertThat(authority.token("secret", near).name()).isEqualTo("alice");
        assertThatThrownBy(() -> authority.token("shared", near)).hasMessageContaining("Unknown token");
    }

    @Test
    void aTabThatIsUsedStaysSignedInAndOneThatIsNotDoesNot() {
        String tab = authority.tab(authority.token("secret", near)).text();
        for (int i = 0; i < 5; i++) {
            after(Duration.ofHours(11));
            assertThat(authority.token(tab, near).name()).isEqualTo("alice");
        }
        after(Duration.ofHours(13));
        assertThatThrownBy(() -> authority.token(tab, near)).hasMessageContaining("Unknown token");
    }

    @Test
    void anAddressWithTooManyFailuresIsRefusedWhateverItShowsAndOthersAreNot() {
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> authority.token("guess", far)).hasMessageContaining("Unknown token");
        }
        assertThatThrownBy(() -> authority.token("secret", far)).hasMessageContaining("Too many failed");
        assertThat(authority.token("secret", address(203, 0, 113, 8)).name()).isEqualTo("alice");
        after(Duration.ofMinutes(1));
        assertThat(authority.token("secret", far).name()).isEqualTo("alice");
        assertThat(authority.failures()).isEqualTo(20);
        assertThat(authority.refused()).isEqualTo(1);
    }

    @Test
    void aTokenThatHasSignedInFromAnAddressWorksThereWhateverItsNeighboursDo() {
        Login login = authority.token("secret", far);
        String tab = authority.tab(login).text();
        for (int i = 0; i < 50; i++) {
            assertThatThrownBy(() -> authority.token("guess", far)).isInstanceOf(SessionException.class);
        }
        assertThat(authority.token("secret", far).name()).isEqualTo("alice");
        assertThat(authority.token(tab, far).name()).isEqualTo("alice");
        assertThat(authority.ticket(authority.ticket(login).text(), far).name()).isEqualTo("alice");
        assertThatThrownBy(() -> authority.token("guess", far)).hasMessageContaining("Too many failed");
        assertThat(authority.failures()).as("attempts that were looked at").isEqualTo(20);
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
