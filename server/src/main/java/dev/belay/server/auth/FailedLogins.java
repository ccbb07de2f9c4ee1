package dev.belay.server.auth;

import dev.belay.server.ServerSettings.LoginLimits;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/// Counts failed attempts to sign in per address, and refuses an address that has had too many.
///
/// One that has is refused whatever it shows, but on loopback a valid token passes: there everybody has the same address,
/// and a client with an old token must not lock out its neighbours.
final class FailedLogins {
    private final LongSupplier clock;
    private final Paces paces = new Paces();
    private final LongAdder failures = new LongAdder();
    private final LongAdder refused = new LongAdder();

    FailedLogins(LongSupplier clock) {
        this.clock = clock;
    }

    /// Refuses an address that has had too many failures.
    void requireRoom(InetAddress address, LoginLimits limits) {
        if (!address.isLoopbackAddress()) {
            refuseIfTooMany(address, limits);
        }
    }

    /// Counts a failure, and refuses if there were too many before.
    void failed(InetAddress address, LoginLimits limits) {
        refuseIfTooMany(address, limits);
        failures.increment();
        pace(address).take(clock.getAsLong(), limits.failures(), limits.per(), 0);
    }

    private void refuseIfTooMany(InetAddress address, LoginLimits limits) {
        long wait = pace(address).waitNanos(clock.getAsLong(), limits.failures(), limits.per());
        if (wait > 0) {
            refused.increment();
            throw Refusals.tooSoon("Too many failed attempts to sign in from " + address.getHostAddress(), wait);
        }
    }

    private Pace pace(InetAddress address) {
        return paces.of(key(address), clock.getAsLong());
    }

    /// Whoever has one address of IPv6 has at least the 2^64 around it.
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
