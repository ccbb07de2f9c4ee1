package dev.belay.server.auth;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.server.ServerSettings;
import dev.belay.server.ServerSettings.LoginLimits;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Tells who somebody is, by what they show: a token, a ticket, or the token of a browser tab.
///
/// Tickets are good once and for seconds, so they may stand in an address. Whatever was made from a token ends with it.
/// Safe for any thread; nothing here blocks.
public final class Authority {
    private static final int MAX_TICKETS = 10_000;
    private static final int MAX_TABS = 10_000;
    private static final int MAX_SECRET_CHARS = 512;

    private final LongSupplier clock;
    private final FailedLogins failedLogins;
    private final ConcurrentHashMap<TokenHash, Loan> tickets = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<TokenHash, Loan> tabs = new ConcurrentHashMap<>();
    private volatile Map<TokenHash, Account> accounts = Map.of();
    private volatile ServerSettings settings;

    /// What stands for a token for a while.
    private record Loan(TokenHash root, long untilNanos) {}

    public Authority(ServerSettings settings) {
        this(settings, System::nanoTime);
    }

    Authority(ServerSettings settings, LongSupplier clock) {
        this.clock = clock;
        this.failedLogins = new FailedLogins(clock);
        this.settings = settings;
        reload(settings);
    }

    /// Takes new accounts and limits; whose token is no longer there is no longer signed in.
    public void reload(ServerSettings now) {
        Map<TokenHash, Account> byToken = new HashMap<>();
        for (Account account : now.accounts()) {
            for (TokenHash token : account.tokens()) {
                byToken.put(token, account);
            }
        }
        settings = now;
        accounts = Map.copyOf(byToken);
        tickets.values().removeIf(loan -> !accounts.containsKey(loan.root()));
        tabs.values().removeIf(loan -> !accounts.containsKey(loan.root()));
    }

    // --- in ---

    /// Signs in by a token, or refuses.
    public Login token(String token, InetAddress from) {
        LoginLimits limits = settings.logins();
        failedLogins.requireRoom(from, limits);
        Login login = token.length() > MAX_SECRET_CHARS ? null : known(TokenHash.of(token));
        if (login == null) {
            failedLogins.failed(from, limits);
            throw Refusals.unauthenticated("The token is not known; sign in again, or ask for a new token.");
        }
        return login;
    }

    /// Signs in by a ticket, which is used up by it, or refuses.
    public Login ticket(String ticket, InetAddress from) {
        LoginLimits limits = settings.logins();
        failedLogins.requireRoom(from, limits);
        Loan loan = ticket.length() > MAX_SECRET_CHARS ? null : tickets.remove(TokenHash.of(ticket));
        Login login = loan == null || loan.untilNanos() - clock.getAsLong() <= 0 ? null : login(loan.root());
        if (login == null) {
            failedLogins.failed(from, limits);
            throw Refusals
                    .unauthenticated("The ticket is not good any more: it was used or is too old. Get a new one.");
        }
        return login;
    }

    private @Nullable Login known(TokenHash hash) {
        Login direct = login(hash);
        if (direct != null) {
            return direct;
        }
        long now = clock.getAsLong();
        Loan tab = tabs.computeIfPresent(
                hash,
                (_, loan) -> loan.untilNanos() - now <= 0 ? null : lend(loan.root(), settings.logins().tab()));
        return tab == null ? null : login(tab.root());
    }

    private @Nullable Login login(TokenHash root) {
        Account account = accounts.get(root);
        if (account == null) {
            return null;
        }
        Quota quota = account.quota() != null ? account.quota() : settings.quota();
        return new Login(new Principal(account.name(), account.role(), quota), root);
    }

    // --- still in ---

    /// The principal of a login as it is now; empty if the token is gone, or stands for somebody else or another role.
    public Optional<Principal> current(Login login) {
        return Optional.ofNullable(login(login.root()))
                .map(Login::principal)
                .filter(now -> now.name().equals(login.name()) && now.role() == login.principal().role());
    }

    /// The principal of a login as it is now, or `UNAUTHENTICATED`.
    public Principal require(Login login) {
        return current(login)
                .orElseThrow(() -> Refusals.unauthenticated("The token is no longer good; sign in again."));
    }

    // --- tickets ---

    /// A ticket for the time that tickets are good.
    public Ticket ticket(Login login) {
        return ticket(login, settings.logins().ticket());
    }

    /// A ticket for the link to the console.
    public Ticket consoleTicket(Login login) {
        return ticket(login, settings.logins().console());
    }

    private Ticket ticket(Login login, Duration life) {
        requireRoom(tickets, MAX_TICKETS);
        String ticket = TokenHash.newToken();
        tickets.put(TokenHash.of(ticket), lend(login.root(), life));
        return new Ticket(ticket, life);
    }

    /// Something that may be shown once.
    public record Ticket(String text, Duration life) {
        @Override
        public String toString() {
            return "Ticket for " + life;
        }
    }

    /// A token for a browser tab, kept in memory only: it ends with the server, with the token behind it, or when it
    /// was not used for long.
    public Ticket tab(Login login) {
        requireRoom(tabs, MAX_TABS);
        String token = TokenHash.newToken();
        tabs.put(TokenHash.of(token), lend(login.root(), settings.logins().tab()));
        return new Ticket(token, settings.logins().tab());
    }

    private Loan lend(TokenHash root, Duration life) {
        return new Loan(root, clock.getAsLong() + life.toNanos());
    }

    private void requireRoom(ConcurrentHashMap<TokenHash, Loan> loans, int most) {
        if (loans.size() >= most) {
            long now = clock.getAsLong();
            loans.values().removeIf(loan -> loan.untilNanos() - now <= 0);
        }
        if (loans.size() >= most) {
            throw new SessionException(
                    ErrorCode.LIMIT_REACHED, "There are " + most + " tickets that nobody has used; use some of them.");
        }
    }

    // --- counts ---

    public long failures() {
        return failedLogins.failures();
    }

    public long refused() {
        return failedLogins.refused();
    }
}
