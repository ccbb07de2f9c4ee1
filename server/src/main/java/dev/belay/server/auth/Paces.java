package dev.belay.server.auth;

import java.util.concurrent.ConcurrentHashMap;

/// A [Pace] for each of many, of which those that have rested are forgotten. Bounded: beyond the bound strangers share
/// one.
final class Paces {
    private static final int MAX = 10_000;
    private static final String SHARED = "";

    private final ConcurrentHashMap<String, Pace> paces = new ConcurrentHashMap<>();

    Pace of(String key, long nowNanos) {
        Pace known = paces.get(key);
        if (known != null) {
            return known;
        }
        if (paces.size() >= MAX) {
            paces.values().removeIf(pace -> pace.rested(nowNanos));
        }
        return paces.computeIfAbsent(paces.size() >= MAX ? SHARED : key, _ -> new Pace());
    }
}
