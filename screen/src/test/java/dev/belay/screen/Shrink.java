package dev.belay.screen;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// Makes a scenario that fails small enough to read.
final class Shrink {
    private Shrink() {}

    /// Drops steps and bytes as long as it still fails.
    static Scenario of(Scenario scenario, Predicate<Scenario> fails) {
        Scenario small = scenario;
        boolean shrunk = true;
        while (shrunk) {
            shrunk = false;
            for (int i = small.steps().size() - 1; i >= 0; i--) {
                for (List<Scenario.Step> fewer : smaller(small.steps(), i)) {
                    Scenario candidate = small.with(fewer);
                    if (fails.test(candidate)) {
                        small = candidate;
                        shrunk = true;
                        break;
                    }
                }
                i = Math.min(i, small.steps().size());
            }
        }
        return small;
    }

    private static List<List<Scenario.Step>> smaller(List<Scenario.Step> steps, int at) {
        List<List<Scenario.Step>> all = new ArrayList<>();
        all.add(replaced(steps, at, List.of()));
        if (steps.get(at) instanceof Scenario.Feed(byte[] bytes)) {
            for (int length = bytes.length / 2; length > 0; length /= 2) {
                for (int from = 0; from + length <= bytes.length; from += length) {
                    byte[] left = new byte[bytes.length - length];
                    System.arraycopy(bytes, 0, left, 0, from);
                    System.arraycopy(bytes, from + length, left, from, bytes.length - from - length);
                    all.add(replaced(steps, at, List.of(new Scenario.Feed(left))));
                }
            }
        }
        return all;
    }

    private static List<Scenario.Step> replaced(List<Scenario.Step> steps, int at, List<Scenario.Step> by) {
        List<Scenario.Step> list = new ArrayList<>(steps.subList(0, at));
        list.addAll(by);
        list.addAll(steps.subList(at + 1, steps.size()));
        return list;
    }
}
