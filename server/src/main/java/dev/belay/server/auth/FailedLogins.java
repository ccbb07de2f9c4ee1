package dev.belay.server.auth;

import dev.belay.access.Pace;
import dev.belay.access.Paces;
import dev.belay.server.logs.EventLog;
import dev.belay.server.settings.ServerSettings.LoginLimits;
import dev.belay.server.settings.TokenHash;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/// Counts failed attempts to sign in per address, and refuses an address that has had too many.
///
/// Many clients may share an address, and one with an old token must not lock out its neighbours. So a token that has
/// signed in from an address keeps working there, and on loopback every valid token works. Anything else from such an
/// address is refused.
final class FailedLogins {
    private static final int MAX_PROVEN = 10_000;

    private final LongSupplier clock;
    private final EventLog events;
    private final Paces paces = new Paces();
    /// Which tokens have signed in from which addresses, those used longest ago first. Guarded by its own monitor.
    private final SequencedMap<Proof, Boolean> proven = new LinkedHashMap<>();
    private final LongAdder failures = new LongAdder();
    private final LongAdder refused = new LongAdder();

    private record Proof(String address, TokenHash root) {}

    FailedLogins(LongSupplier clock, EventLog events) {
        this.clock = clock;
        this.events = events;
    }

    /// A valid token or ticket was shown: refuses it if the address has had too many failures.
    ///
    /// @param root the token that it goes back to
    void passed(InetAddress address, TokenHash root, LoginLimits limits) {
        if (address.isLoopbackAddress()) {
            return;
        }
        Proof proof = new Proof(key(address), root);
        synchronized (proven) {
            if (proven.containsKey(proof)) {
                proven.putLast(proof, true);
                return;
            }
        }
        refuseIfTooMany(address, limits);
        synchronized (proven) {
            proven.putLast(proof, true);
            if (proven.size() > MAX_PROVEN) {
                proven.pollFirstEntry();
            }
        }
    }

    /// Counts a failure, and refuses if there were too many before.
    void failed(InetAddress address, LoginLimits limits) {
        refuseIfTooMany(address, limits);
        failures.increment();
        note("login_failed", address);
        pace(address).take(clock.getAsLong(), limits.failures(), limits.per(), 0);
    }

    private void refuseIfTooMany(InetAddress address, LoginLimits limits) {
        long wait = pace(address).waitNanos(clock.getAsLong(), limits.failures(), limits.per());
        if (wait > 0) {
            refused.increment();
            note("login_refused", address);
            throw Pace.tooSoon("Too many failed attempts to sign in from " + address.getHostAddress(), wait);
        }
    }

    private void note(String event, InetAddress address) {
        events.seldom(event, address.getHostAddress(), Map.of("address", address.getHostAddress()));
    }

    private Pace pace(InetAddress address) {
        return paces.of(key(address), clock.getAsLong());
    }

    /// An IPv6 client usually has a whole /64 network.
    private static String key(InetAddress address) {
        byte[] bytes = address.getAddress();
        return HexFormat.of().formatHex(address instanceof Inet6Address ? Arrays.copyOf(bytes, 8) : bytes);
    }

    long failures() {
        return failures.sum();
    }

    long refused() {
        return refused.sum();
    }
}
