package dev.belay.server.auth;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.access.Principal;
import dev.belay.access.Quota;
import dev.belay.server.logs.EventLog;
import dev.belay.server.settings.Account;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.ServerSettings.LoginLimits;
import dev.belay.server.settings.TokenHash;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Identifies clients by what they present: a token, a ticket, or the token of a browser tab.
///
/// Tickets work once, within seconds, so they may be part of a URL. Everything that was made from a token ends with it.
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

    /// Something that replaces a token for a while.
    ///
    /// @param tab the token of the browser tab that it was made with, if it was
    private record Loan(TokenHash root, @Nullable TokenHash tab, long untilNanos) {}

    /// @param events the log of failed attempts, with their address
    /// @param clock  in nanoseconds
    public Authority(ServerSettings settings, EventLog events, LongSupplier clock) {
        this.clock = clock;
        this.failedLogins = new FailedLogins(clock, events);
        this.settings = settings;
        reload(settings);
    }

    /// Takes new accounts and limits. Clients whose token was removed are signed out.
    public void reload(ServerSettings now) {
        accounts = Map.copyOf(byToken(now.accounts()));
        settings = now;
        tickets.values().removeIf(loan -> !accounts.containsKey(loan.root()));
        tabs.values().removeIf(loan -> !accounts.containsKey(loan.root()));
    }

    /// The accounts by their tokens. A token that two principals share is refused: which of the two it stands for
    /// would be random.
    public static Map<TokenHash, Account> byToken(List<Account> accounts) {
        Map<TokenHash, Account> byToken = new HashMap<>();
        for (Account account : accounts) {
            for (TokenHash token : account.tokens()) {
                Account other = byToken.put(token, account);
                if (other != null && !other.name().equals(account.name())) {
                    throw new SessionException(
                            ErrorCode.INVALID_REQUEST,
                            other.name() + " and " + account.name() + " have the same token (" + token
                                    + "...); make one"
                                    + " for each with 'belay token NAME'.");
                }
            }
        }
        return byToken;
    }

    // --- in ---

    /// Signs in with a token, or refuses.
    public Login token(String token, InetAddress from) {
        LoginLimits limits = settings.logins();
        Login login = isPlausible(token) ? known(TokenHash.of(token)) : null;
        if (login == null) {
            failedLogins.failed(from, limits);
            throw unauthenticated("Unknown token; sign in again, or ask for a new token.");
        }
        failedLogins.passed(from, login.root(), limits);
        return login;
    }

    /// Signs in with a ticket, which uses it up, or refuses.
    public Login ticket(String ticket, InetAddress from) {
        LoginLimits limits = settings.logins();
        Loan loan = isPlausible(ticket) ? tickets.remove(TokenHash.of(ticket)) : null;
        Login login = loan == null || loan.untilNanos() - clock.getAsLong() <= 0
                ? null
                : login(loan.root(), loan.tab());
        if (login == null) {
            failedLogins.failed(from, limits);
            throw unauthenticated("The ticket has expired or was already used; get a new one.");
        }
        // Random and good for seconds, so it cannot be guessed: never refused.
        return login;
    }

    private static SessionException unauthenticated(String message) {
        return new SessionException(ErrorCode.UNAUTHENTICATED, message);
    }

    private static boolean isPlausible(String secret) {
        return !secret.isBlank() && secret.length() <= MAX_SECRET_CHARS;
    }

    private @Nullable Login known(TokenHash hash) {
        Login direct = login(hash, null);
        if (direct != null) {
            return direct;
        }
        Loan tab = used(hash);
        return tab == null ? null : login(tab.root(), hash);
    }

    /// The token of a tab stays valid for a while after each use.
    private @Nullable Loan used(TokenHash tab) {
        long now = clock.getAsLong();
        return tabs.computeIfPresent(
                tab,
                (_, loan) -> loan.untilNanos() - now <= 0 ? null : lend(loan.root(), null, settings.logins().tab()));
    }

    private @Nullable Login login(TokenHash root, @Nullable TokenHash tab) {
        Account account = accounts.get(root);
        if (account == null || (tab != null && !tabs.containsKey(tab))) {
            return null;
        }
        Quota quota = account.quota() != null ? account.quota() : settings.quota();
        Principal principal = new Principal(
                account.name(), account.role(), quota, account.isolation(), account.approvers());
        return new Login(principal, root, tab);
    }

    // --- still in ---

    /// The principal of a login as it is now; empty if the token is gone, or stands for somebody else or another role.
    /// An open connection keeps using the token that it was made with.
    public Optional<Principal> current(Login login) {
        if (login.tab() != null && used(login.tab()) == null) {
            return Optional.empty();
        }
        return Optional.ofNullable(login(login.root(), login.tab()))
                .map(Login::principal)
                .filter(now -> now.name().equals(login.name()) && now.role() == login.principal().role());
    }

    /// The principal of a login as it is now, or `UNAUTHENTICATED`.
    public Principal require(Login login) {
        return current(login)
                .orElseThrow(() -> unauthenticated("The token is no longer valid; sign in again."));
    }

    // --- tickets ---

    /// A ticket with the usual lifetime.
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
        tickets.put(TokenHash.of(ticket), lend(login.root(), login.tab(), life));
        return new Ticket(ticket, life);
    }

    /// A secret that works once.
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
        tabs.put(TokenHash.of(token), lend(login.root(), null, settings.logins().tab()));
        return new Ticket(token, settings.logins().tab());
    }

    /// How long a login stays valid without being used; empty: as long as its token is in the settings.
    public Optional<Duration> life(Login login) {
        return login.tab() == null ? Optional.empty() : Optional.of(settings.logins().tab());
    }

    /// Ends the token of a browser tab, and everything that was signed in with it.
    public void end(Login login) {
        if (login.tab() == null) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    "Only the token of a browser tab can be signed out; remove this one from the settings.");
        }
        tabs.remove(login.tab());
    }

    private Loan lend(TokenHash root, @Nullable TokenHash tab, Duration life) {
        return new Loan(root, tab, clock.getAsLong() + life.toNanos());
    }

    private void requireRoom(ConcurrentHashMap<TokenHash, Loan> loans, int most) {
        if (loans.size() >= most) {
            long now = clock.getAsLong();
            loans.values().removeIf(loan -> loan.untilNanos() - now <= 0);
        }
        if (loans.size() >= most) {
            throw new SessionException(
                    ErrorCode.LIMIT_REACHED,
                    "There are " + most + " unused tickets already; use one, or wait until one expires.");
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
