package dev.belay.screen;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Values that cells or styles refer to by number, up to a bound. Numbers start at 1 and stay until a sweep finds no
/// user.
final class Interned<T> {
    private static final int SWEEP_FROM = 256;

    private final int most;
    private final Map<T, Integer> numbers = new HashMap<>();
    private final List<@Nullable T> values = new ArrayList<>();
    private final BitSet used = new BitSet();
    private final SweepSchedule sweeps;

    Interned(int most) {
        this.most = most;
        this.sweeps = new SweepSchedule(Math.min(SWEEP_FROM, most), most, 2, most);
        values.add(null);
        used.set(0);
    }

    /// A value's number, or 0 if there is no room.
    int number(T value) {
        Integer known = numbers.get(value);
        if (known != null) {
            return known;
        }
        int number = used.nextClearBit(1);
        if (number > most) {
            return 0;
        }
        used.set(number);
        if (number == values.size()) {
            values.add(value);
        } else {
            values.set(number, value);
        }
        numbers.put(value, number);
        return number;
    }

    @Nullable T get(int number) {
        return values.get(number);
    }

    int size() {
        return numbers.size();
    }

    boolean wantsSweep() {
        return sweeps.isDue(numbers.size());
    }

    void sweep(BitSet seen) {
        for (int number = used.nextSetBit(1); number > 0; number = used.nextSetBit(number + 1)) {
            if (!seen.get(number)) {
                numbers.remove(values.set(number, null));
                used.clear(number);
            }
        }
        sweeps.swept(numbers.size());
    }
}
