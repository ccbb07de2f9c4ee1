package dev.belay.access;

import java.util.concurrent.ConcurrentHashMap;

/// A [Pace] per key. At 10,000 keys, idle ones are forgotten; keys beyond that share one pace.
public final class Paces {
    private static final int MAX = 10_000;
    private static final String SHARED = "";

    private final ConcurrentHashMap<String, Pace> paces = new ConcurrentHashMap<>();

    public Pace of(String key, long nowNanos) {
        Pace known = paces.get(key);
        if (known != null) {
            return known;
        }
        if (paces.size() >= MAX) {
            paces.values().removeIf(pace -> pace.idle(nowNanos));
        }
        return paces.computeIfAbsent(paces.size() >= MAX ? SHARED : key, _ -> new Pace());
    }
}
