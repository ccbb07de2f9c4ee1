package dev.belay.socketio;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/// Those who have not signed in yet, within a budget: so many in all, and so many from one address.
///
/// A newcomer always gets a place. If there is none left, the oldest stranger of the same address gives up its own, or
/// the oldest of the address that has most. So a flood pushes out itself, and a client that signs in right away gets
/// through.
/// Loopback has no limit of its own, only that of all: every user of the machine has that address.
/// The monitor guards the tables only.
///
/// @param <T> what is counted, compared by `equals`
public final class Strangers<T> {
    private static final int IPV6_PREFIX_BYTES = 8;

    private final int most;
    private final int perAddress;
    private final Map<String, SequencedSet<T>> byAddress = new HashMap<>();
    private final Map<T, String> addresses = new HashMap<>();

    /// @param most       how many there may be in all
    /// @param perAddress how many there may be from one address
    public Strangers(int most, int perAddress) {
        this.most = most;
        this.perAddress = perAddress;
    }

    /// Takes one in.
    ///
    /// @return the one that had to give up its place, or null
    public synchronized @Nullable T enter(@Nullable SocketAddress from, T one) {
        InetAddress address = from instanceof InetSocketAddress inet ? inet.getAddress() : null;
        String key = key(address);
        SequencedSet<T> own = byAddress.computeIfAbsent(key, _ -> new LinkedHashSet<>());
        own.add(one);
        addresses.put(one, key);
        boolean shared = address == null || address.isLoopbackAddress();
        SequencedSet<T> crowded = !shared && own.size() > perAddress ? own : addresses.size() > most ? largest() : null;
        if (crowded == null) {
            return null;
        }
        T oldest = crowded.getFirst();
        leave(oldest);
        return oldest;
    }

    private SequencedSet<T> largest() {
        return byAddress.values().stream().max(Comparator.comparingInt(SequencedSet::size)).orElseThrow();
    }

    /// One is a stranger no more: it has signed in, or it has gone.
    ///
    /// @return whether it was one
    public synchronized boolean leave(T one) {
        String key = addresses.remove(one);
        if (key == null) {
            return false;
        }
        byAddress.computeIfPresent(key, (_, own) -> {
            own.remove(one);
            return own.isEmpty() ? null : own;
        });
        return true;
    }

    /// How many there are.
    public synchronized int size() {
        return addresses.size();
    }

    /// A client that has one IPv6 address has at least the 2^64 around it.
    private static String key(@Nullable InetAddress address) {
        if (address == null) {
            return "";
        }
        byte[] bytes = address.getAddress();
        return HexFormat.of()
                .formatHex(address instanceof Inet6Address ? Arrays.copyOf(bytes, IPV6_PREFIX_BYTES) : bytes);
    }
}
